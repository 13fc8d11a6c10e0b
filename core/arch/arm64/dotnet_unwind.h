/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * arm64: all CoreCLR methods keep a frame record and no stub does, so the generic arm64
 * rules (native.h) unwind both. After a step by a frame record, the caller's sp is unknown.
 *
 * A prologue stores the record first and lets fp point to it later, often after it has saved other
 * registers:
 *
 *	stp x29, x30, [sp, #-n]!  or  sub sp, sp, #n ... stp x29, x30, [sp, #m]
 *	stp x19, x20, [sp, #k]
 *	mov x29, sp               or  add x29, sp, #m
 *
 * Up to the instruction that sets fp, the return address is in lr and fp is the caller's, so the
 * walk decodes the prologue of an interrupted method.
 *
 * Source: coreclr jit/codegenarm64.cpp (genPushCalleeSavedRegisters) at v10.0.14.
 */

#include "../../dotnet/dotnet_info.h"
#include "../../native/native.h"

#define DOTNET_PROLOGUE_INSNS 8 /* up to the instruction that sets fp, at most */
#define DOTNET_FALLBACK_FLAGS 0 /* no guess, because each method keeps a frame record */

/* The part of RealCodeHeader that starts at DOTNET_HEADER_METHOD_DESC. */
struct dotnet_header {
	u64 method_desc;
};

/* Sets the rule of a stub, whose return address is in lr. */
UW_INLINE bool arch_dotnet_stub(struct uw_state *u, u32 kind, u64 off)
{
	(void)off;
	u->rule = (struct uw_rule){ .cfa = UW_CFA_SP, .ra = UW_SAVED_SAME, .fp = UW_SAVED_SAME };
	return kind != DOTNET_STUB_UNKNOWN;
}

/* Is this b or br, which leave the method after its frame is gone? */
UW_INLINE bool arch_dotnet_jumps(u32 insn)
{
	return (insn & 0xfc000000) == 0x14000000 || (insn & 0xfffffc1f) == 0xd61f0000;
}

/*
 * Sets the rule of an instruction in an epilogue that follows the load of fp and lr:
 *
 *	ldp x29, x30, [sp], #n	then the jump of a tail call
 *	ldp x29, x30, [sp, #m]	then add sp, sp, #n
 *
 * Returns UW_T_NO_ROW for other instructions, because top_step() decodes them, as for native code,
 * and for an instruction at the start of a page, because the page before need not be resident.
 */
UW_INLINE enum uw_status arch_dotnet_epilogue(struct uw_state *u, u64 begin, u64 end)
{
	const u32 *insns = (const u32 *)u->scratch;
	bool frees;

	(void)begin;
	(void)end;
	if (!(u->regs.pc & (UW_PAGE_LEN - 1)))
		return UW_T_NO_ROW;
	if (uw_read(u, u->scratch, 8, u->regs.pc - 4))
		return UW_F_METHOD_FAULT;
	if ((insns[0] & 0xfe407fff) != 0xa8407bfd)
		return UW_T_NO_ROW;
	frees = (insns[1] & 0xff8003ff) == 0x910003ff;
	if (!frees && !arch_dotnet_jumps(insns[1]))
		return UW_T_NO_ROW;
	u->rule = (struct uw_rule){ .cfa = UW_CFA_SP,
				    .cfa_off = frees ? (s32)(insns[1] >> 10 & 0xfff) : 0,
				    .ra = UW_SAVED_SAME,
				    .fp = UW_SAVED_SAME };
	port_note(u, UW_NOTE_DOTNET_EPILOGUE, 4);
	return UW_OK;
}

/*
 * Returns the bytes by which the first instruction of a prologue, stp x29, x30, [sp, #-n]! or
 * sub sp, sp, #n, lowers sp; 0 for other instructions.
 */
UW_INLINE u32 arch_dotnet_lowers_sp(u32 insn)
{
	if ((insn & 0xffe07fff) == 0xa9a07bfd)
		return (64 - (insn >> 15 & 63)) * 8;
	if ((insn & 0xff8003ff) == 0xd10003ff)
		return (insn >> 10 & 0xfff) << (insn >> 22 & 1) * 12;
	return 0;
}

/*
 * Returns 0 if one of the prologue's instructions in u->scratch sets fp, else 1. Has no branches,
 * because each would double the verifier's work.
 */
UW_INLINE u32 arch_dotnet_keeps_fp(const struct uw_state *u)
{
	const u32 *insns = (const u32 *)u->scratch;
	u32 keeps = 1;

	for (u32 i = 1; i < DOTNET_PROLOGUE_INSNS; i++) {
		u32 other = (insns[i] & 0xffc003ff) ^ 0x910003fd; /* add x29, sp, #n; mov x29, sp */

		keeps &= (other | (0 - other)) >> 31;
	}
	return keeps;
}

/*
 * Sets the rule of a method that has executed @done bytes of its prologue. Only the first
 * instruction lowers sp before fp is set. Return: UW_OK, UW_T_NO_ROW (fp is set, or the code is not
 * a prologue), UW_F_METHOD_FAULT (the prologue can't be read).
 */
UW_INLINE enum uw_status arch_dotnet_prologue(struct uw_state *u, u64 start, u64 done)
{
	volatile struct uw_undo *d = &u->undo;

	d->off = 0;
	__builtin_memset(u->scratch, 0, DOTNET_PROLOGUE_INSNS * 4);
	if (done) {
		if (uw_read(u, u->scratch, (u32)port_index(done, DOTNET_PROLOGUE_INSNS * 4 - 1),
			    start))
			return UW_F_METHOD_FAULT;
		d->off = arch_dotnet_lowers_sp(*(const u32 *)u->scratch);
		if (!d->off || !arch_dotnet_keeps_fp(u))
			return UW_T_NO_ROW;
	}
	u->rule = (struct uw_rule){
		.cfa = UW_CFA_SP, .cfa_off = (s32)d->off, .ra = UW_SAVED_SAME, .fp = UW_SAVED_SAME
	};
	return UW_OK;
}

/*
 * Sets the rule of an interrupted prologue or tail call; else an empty rule, so that the walk uses
 * the frame record.
 */
UW_INLINE enum uw_status arch_dotnet_method(struct uw_state *u, u64 start, u64 header,
					    const struct dotnet_header *h, u64 pc)
{
	enum uw_status status = UW_T_NO_ROW;

	(void)header;
	(void)h;
	if (u->is_top && pc - start < DOTNET_PROLOGUE_INSNS * 4)
		status = arch_dotnet_prologue(u, start, pc - start);
	if (u->is_top && status == UW_T_NO_ROW)
		status = arch_dotnet_epilogue(u, 0, 0);
	if (status != UW_T_NO_ROW)
		return status;
	u->rule = (struct uw_rule){ .cfa = UW_CFA_NONE };
	return UW_OK;
}
