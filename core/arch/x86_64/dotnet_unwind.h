/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * x86-64: CoreCLR describes each function's prologue by an UNWIND_INFO, as on Windows:
 *
 *	u8 version:3 flags:5, u8 length of the prologue, u8 number of slots,
 *	u8 frame register:4 its offset / 16:4, then slots of 2 bytes
 *	{ u8 offset in the prologue, u8 operation:4 info:4 }, some followed by 1 or 2 slots
 *
 * The slots are in the order in which an unwinder undoes the prologue. The slots of the
 * executed instructions together describe an unwind row, so the walk converts them to one
 * rule:
 *
 *	base           sp, or fp after fp was set         rule.cfa
 *	base + off     sp after the operations undone so far
 *	base + fp_at   address of the saved rbp
 *
 * UNWIND_INFO does not describe the epilogue. The walk recognizes an epilogue by its
 * instructions, which only undo the prologue:
 *
 *	add $n,%rsp | lea n(%rbp),%rsp | nothing;  pop reg ...;  ret | jmp out of the method
 *
 * Source: Microsoft's "x64 exception handling"; coreclr inc/win64unwind.h and
 * jit/codegenxarch.cpp (genFnEpilog) at v10.0.14.
 */

#include "../../dotnet/dotnet_info.h"
#include "../../native/native.h"

#define DOTNET_FALLBACK_FLAGS UW_FRAME_GUESS /* a method need not keep a frame record */
#define DOTNET_MAX_SLOTS 32 /* the runtime's own code uses at most 16 */
#define DOTNET_INFO_LEN (4 + 2 * DOTNET_MAX_SLOTS)
#define DOTNET_EPILOGUE_LEN 40
#define DOTNET_MAX_POPS 8
#define DOTNET_SEARCH_STEPS 12 /* enough for a method with 4096 funclets */

struct dotnet_entry {
	u32 begin, end, unwind; /* offsets from a common base; entry 0 is the method's body */
};

/* The part of RealCodeHeader that starts at DOTNET_HEADER_METHOD_DESC. */
struct dotnet_header {
	u64 method_desc;
	u32 n_entries; /* number of entries: the method's body, then its funclets */
	struct dotnet_entry body;
};
_Static_assert(sizeof(struct dotnet_header) == 24, "the runtime's size");

/* UNWIND_INFO's operations. */
enum dotnet_op {
	DOTNET_PUSH_NONVOL,
	DOTNET_ALLOC_LARGE,
	DOTNET_ALLOC_SMALL,
	DOTNET_SET_FPREG,
	DOTNET_SAVE_NONVOL,
	DOTNET_SAVE_NONVOL_FAR,
	DOTNET_SAVE_XMM128 = 8,
	DOTNET_SAVE_XMM128_FAR,
	DOTNET_SET_FPREG_LARGE = 11,
};

#define DOTNET_RBP 5

UW_INLINE void arch_dotnet_make_rule(struct uw_state *u)
{
	const volatile struct uw_undo *d = &u->undo;
	u32 up = d->off + 8;

	u->rule = (struct uw_rule){ .cfa = d->by_fp ? UW_CFA_FP : UW_CFA_SP,
				    .cfa_off = (s32)up,
				    .ra = UW_SAVED_CFA,
				    .ra_off = -8,
				    .fp = d->fp_saved ? UW_SAVED_CFA : UW_SAVED_SAME,
				    .fp_off = (s32)(d->fp_at - up) };
}

/* Resets u->undo, which then describes a frame of which nothing has been undone. */
UW_INLINE volatile struct uw_undo *arch_dotnet_begin(struct uw_state *u)
{
	u->undo = (struct uw_undo){ 0 };
	return &u->undo;
}

/**
 * arch_dotnet_stub() - set the rule of an interrupted stub
 * @off:	offset of pc in the block of stubs
 *
 * Some stubs push registers: in .NET 8.0.33, 9.0.22 and 10.0.14, a lookup stub pushes rax; a
 * resolve stub pushes rdx, and pushes rdx again if the lookup fails.
 *
 * Return: true if u->rule is valid.
 */
UW_INLINE bool arch_dotnet_stub(struct uw_state *u, u32 kind, u64 off)
{
	volatile struct uw_undo *d = arch_dotnet_begin(u);
	u32 at = (u32)off % 0x70;

	if (kind == DOTNET_STUB_VSD_LOOKUP)
		d->off = (off & 31) >= 0x0c ? 8 : 0;
	else if (kind == DOTNET_STUB_VSD_RESOLVE && at >= 0x64)
		d->off = 16;
	else if (kind == DOTNET_STUB_VSD_RESOLVE)
		d->off = (at >= 0x04 && at <= 0x42) || at >= 0x59 ? 8 : 0;
	arch_dotnet_make_rule(u);
	return kind != DOTNET_STUB_UNKNOWN;
}

/*
 * Does the instruction at @p leave the function, whose bounds are @begin and @end (both 0 if
 * unknown)? An indirect jump with a REX prefix is a tail call, so it leaves the function. jmp
 * *n(%rip) also leaves the function, because no switch uses this form. Any other indirect jump may
 * be a switch, and the target of a direct jump may be in the function if the bounds are unknown.
 * Such a jump leaves the function only if part of the frame was undone before the jump.
 */
UW_INLINE bool arch_dotnet_leaves(const u8 *p, u64 pc, u64 begin, u64 end, bool undid)
{
	u64 to;

	if (p[0] == 0xc3 || p[0] == 0xc2 || (p[0] == 0xf3 && p[1] == 0xc3))
		return true;
	if (p[0] == 0xff)
		return p[1] == 0x25 || (undid && (p[1] & 0x38) == 0x20);
	if ((p[0] & 0xf0) == 0x40)
		return p[1] == 0xff && (p[2] & 0x38) == 0x20;
	if (p[0] == 0xeb)
		to = pc + 2 + (u64)(s64)(s8)p[1];
	else if (p[0] == 0xe9)
		to = pc + 5 +
		     (u64)(s64)(s32)((u32)p[1] | (u32)p[2] << 8 | (u32)p[3] << 16 |
				     (u32)p[4] << 24);
	else
		return false;
	return end ? to - begin >= end - begin : undid;
}

/*
 * Reads the code at pc. If the code extends into a page that can't be read, the bytes of that page
 * are set to 0.
 */
UW_INLINE bool arch_dotnet_read_code(struct uw_state *u)
{
	u64 pc = u->regs.pc, room = UW_PAGE_LEN - (pc & (UW_PAGE_LEN - 1));

	__builtin_memset(u->scratch, 0, 2 * DOTNET_EPILOGUE_LEN);
	if (room >= DOTNET_EPILOGUE_LEN)
		return !uw_read(u, u->scratch, DOTNET_EPILOGUE_LEN, pc);
	if (!uw_read(u, u->scratch, DOTNET_EPILOGUE_LEN, pc))
		return true;
	return !uw_read(u, u->scratch, (u32)room, pc);
}

/**
 * arch_dotnet_epilogue() - is the interrupted instruction in an epilogue?
 * @begin, @end: bounds of the function's code; both are 0 if the bounds are unknown
 *
 * Return: UW_OK (u->rule is the instruction's rule), UW_T_NO_ROW (not an epilogue),
 *         UW_F_METHOD_FAULT (the instruction can't be read).
 */
UW_INLINE enum uw_status arch_dotnet_epilogue(struct uw_state *u, u64 begin, u64 end)
{
	volatile struct uw_undo *d = arch_dotnet_begin(u);
	const u8 *p = u->scratch;
	u32 head;

	if (!arch_dotnet_read_code(u))
		return UW_F_METHOD_FAULT;
	head = p[0] | (u32)p[1] << 8 | (u32)p[2] << 16;
	if (head == 0xc48348 || head == 0x658d48) {
		d->off = (u32)((s32)((u32)p[3] << 24) >> 24);
		d->at = 4;
	} else if (head == 0xc48148 || head == 0xa58d48) {
		d->off = p[3] | (u32)p[4] << 8 | (u32)p[5] << 16 | (u32)p[6] << 24;
		d->at = 7;
	}
	d->by_fp = head == 0x658d48 || head == 0xa58d48;
	for (int i = 0; i < DOTNET_MAX_POPS; i++) {
		const u8 *insn = p + port_index(d->at, 31);
		u32 rex = insn[0] == 0x41;

		if (((rex ? insn[1] : insn[0]) & 0xf8) != 0x58)
			break;
		if (insn[0] == 0x5d) {
			d->fp_saved = 1;
			d->fp_at = d->off;
		}
		d->off += 8;
		d->at += 1 + rex;
	}
	if (!arch_dotnet_leaves(p + port_index(d->at, 31), u->regs.pc + d->at, begin, end,
				d->at != 0))
		return UW_T_NO_ROW;
	arch_dotnet_make_rule(u);
	port_note(u, UW_NOTE_DOTNET_EPILOGUE, d->at);
	return UW_OK;
}

/* Returns the number of slots that an operation occupies; 0 for an unknown operation. */
UW_INLINE u32 arch_dotnet_slots(u32 op, u32 info)
{
	switch (op) {
	case DOTNET_PUSH_NONVOL:
	case DOTNET_ALLOC_SMALL:
	case DOTNET_SET_FPREG:
		return 1;
	case DOTNET_ALLOC_LARGE:
		return info ? 3 : 2;
	case DOTNET_SAVE_NONVOL:
	case DOTNET_SAVE_XMM128:
		return 2;
	case DOTNET_SAVE_NONVOL_FAR:
	case DOTNET_SAVE_XMM128_FAR:
	case DOTNET_SET_FPREG_LARGE:
		return 3;
	default:
		return 0;
	}
}

UW_INLINE bool arch_dotnet_sets_fp(u32 op)
{
	return op == DOTNET_SET_FPREG || op == DOTNET_SET_FPREG_LARGE;
}

/*
 * Undoes one operation. @near is the number in the next slot, @far the number in the next two
 * slots.
 */
UW_INLINE void arch_dotnet_undo(volatile struct uw_undo *d, u32 op, u32 info, u32 near, u32 far,
				u32 frame)
{
	if (op == DOTNET_PUSH_NONVOL) {
		if (info == DOTNET_RBP) {
			d->fp_saved = 1;
			d->fp_at = d->off;
		}
		d->off += 8;
	} else if (op == DOTNET_ALLOC_SMALL) {
		d->off += info * 8 + 8;
	} else if (op == DOTNET_ALLOC_LARGE) {
		d->off += info ? far : near * 8;
	} else if (arch_dotnet_sets_fp(op)) {
		d->by_fp = 1;
		d->off = 0 - (op == DOTNET_SET_FPREG ? (frame >> 4) * 16 : far * 16);
		d->frame_off = d->off;
	} else if (info == DOTNET_RBP &&
		   (op == DOTNET_SAVE_NONVOL || op == DOTNET_SAVE_NONVOL_FAR)) {
		d->fp_saved = 1;
		d->fp_at = d->frame_off + (op == DOTNET_SAVE_NONVOL ? near * 8 : far);
	}
}

/*
 * Undoes those operations of the UNWIND_INFO in u->scratch whose instructions have been executed.
 * Returns false if the UNWIND_INFO is not valid.
 */
UW_INLINE bool arch_dotnet_undo_all(struct uw_state *u, u64 done)
{
	volatile struct uw_undo *d = arch_dotnet_begin(u);
	const u8 *info = u->scratch;
	u32 n = info[2];

	for (u32 i = 0; i < DOTNET_MAX_SLOTS && i < n; i++) {
		const u8 *s = info + 4 + 2 * i;
		u32 op = s[1] & 15, arg = s[1] >> 4, near = s[2] | (u32)s[3] << 8;
		u32 far = near | (u32)s[4] << 16 | (u32)s[5] << 24;

		if (d->at > i)
			continue;
		d->at = i + arch_dotnet_slots(op, arg);
		if (d->at == i || (arch_dotnet_sets_fp(op) && (info[3] & 15) != DOTNET_RBP))
			return false;
		if (s[0] <= done)
			arch_dotnet_undo(d, op, arg, near, far, info[3]);
	}
	arch_dotnet_make_rule(u);
	return n <= DOTNET_MAX_SLOTS && d->at <= n &&
	       (info[0] & 0x27) == 1; /* version 1, not chained */
}

/*
 * Reads the UNWIND_INFO at @addr; reads from the next page only if the UNWIND_INFO extends to it.
 */
UW_INLINE bool arch_dotnet_read_info(struct uw_state *u, u64 addr)
{
	u64 room = UW_PAGE_LEN - (addr & (UW_PAGE_LEN - 1));
	u32 len = room < DOTNET_INFO_LEN ? (u32)room : DOTNET_INFO_LEN, all;

	if (uw_read(u, u->scratch, len, addr))
		return false;
	all = 4 + 2u * u->scratch[2];
	if (len >= 4 && all <= len)
		return true;
	return !uw_read(u, u->scratch, DOTNET_INFO_LEN, addr);
}

/* Finds the entry of the body or funclet that contains @rel, an offset from the entries' base. */
UW_INLINE bool arch_dotnet_find(struct uw_state *u, u64 header, const struct dotnet_header *h,
				u32 rel, struct dotnet_entry *e)
{
	u64 entries = header + DOTNET_HEADER_METHOD_DESC + 12;
	u32 low = 1, high = h->n_entries;

	*e = h->body;
	for (int i = 0;
	     i < DOTNET_SEARCH_STEPS && low < high && rel - e->begin >= e->end - e->begin; i++) {
		u32 mid = low + (high - low) / 2;

		if (read_user(u, e, entries + (u64)mid * sizeof(*e)))
			return false;
		if (rel < e->begin)
			high = mid;
		else
			low = mid + 1;
	}
	return rel - e->begin < e->end - e->begin;
}

/**
 * arch_dotnet_method() - set the rule for an address in a method
 * @start:	address of the method's first byte
 * @header:	address of the method's RealCodeHeader, of which @h is a partial copy
 * @pc:		address in the method; for a return address, pass that address minus one
 *
 * Return: UW_OK (u->rule is the rule), UW_F_NO_METHOD (@pc is after the method's end),
 *         UW_F_METHOD_FAULT, UW_F_UNWIND_INFO.
 */
UW_INLINE enum uw_status arch_dotnet_method(struct uw_state *u, u64 start, u64 header,
					    const struct dotnet_header *h, u64 pc)
{
	u64 base = start - h->body.begin, done;
	enum uw_status status = UW_T_NO_ROW;
	struct dotnet_entry e;

	if (!arch_dotnet_find(u, header, h, (u32)(pc - base), &e))
		return UW_F_NO_METHOD;
	if (u->is_top)
		status = arch_dotnet_epilogue(u, base + e.begin, base + e.end);
	if (status != UW_T_NO_ROW)
		return status;
	if (!arch_dotnet_read_info(u, base + e.unwind))
		return UW_F_METHOD_FAULT;
	done = u->regs.pc - (base + e.begin);
	port_note(u, UW_NOTE_DOTNET_UNWIND, base + e.unwind);
	return arch_dotnet_undo_all(u, done) ? UW_OK : UW_F_UNWIND_INFO;
}
