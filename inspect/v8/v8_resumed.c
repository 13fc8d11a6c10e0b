/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Where optimized code goes on after a call that is out of its line. TurboFan puts behind all
 * other code what is rarely run, and much of it has no positions of its own, so that the table
 * has whatever came last before it:
 *
 *	  cmp r9, limit
 *	  jae slow	<- belongs here
 *	back:
 *	  ...
 *	slow:
 *	  call AllocateInYoungGeneration
 *	  mov ...	takes back what the call has overwritten
 *	  jmp back
 *
 * A write barrier is told by the builtin that runs. What allocates leaves for C++ by a tail call,
 * so here the call itself tells. On x86-64 it is one of these (TurboAssembler::Call and
 * CallBuiltin in v8/src/codegen/x64/macro-assembler-x64.cc at 8.4.371, 9.4.146, 11.3.244):
 *
 *	mov r10, ADDRESS; call r10
 *	mov r10, [rip + distance]; call r10	the address is that of an earlier mov
 *	call DISTANCE
 */

#include <capstone/capstone.h>
#include <string.h>

#include "v8_resumed.h"

#define MAX_WAY_LEN 256 /* bytes from the call to the jump back */
#define CALL_LEN 13 /* the longest form */

/* Does what follows @in not run next, or does it store, but to its own frame? */
static bool is_more(csh handle, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;

	for (u8 i = 0; i < x->op_count; i++)
		if (x->operands[i].type == X86_OP_MEM && x->operands[i].access & CS_AC_WRITE &&
		    x->operands[i].mem.base != X86_REG_RBP)
			return true;
	return in->id == X86_INS_PUSH || cs_insn_group(handle, in, CS_GRP_JUMP) ||
	       cs_insn_group(handle, in, CS_GRP_CALL) || cs_insn_group(handle, in, CS_GRP_RET) ||
	       cs_insn_group(handle, in, CS_GRP_INT);
}

/* Where the jump leads behind what only fills registers, or 0. */
static u64 jump_x86_64(const u8 *bytes, size_t len, u64 ra)
{
	uint64_t addr = ra;
	cs_insn *in;
	csh handle;
	u64 to = 0;

	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return 0;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	in = cs_malloc(handle);
	while (in && cs_disasm_iter(handle, &bytes, &len, &addr, in)) {
		if (in->id == X86_INS_JMP && in->detail->x86.operands[0].type == X86_OP_IMM)
			to = (u64)in->detail->x86.operands[0].imm;
		if (is_more(handle, in))
			break;
	}
	if (in)
		cs_free(in, 1);
	cs_close(&handle);
	return to;
}

/* b */
static u64 jump_arm64(const u8 *bytes, size_t len, u64 ra)
{
	u32 word;

	if (len < sizeof(word))
		return 0;
	memcpy(&word, bytes, sizeof(word));
	return word >> 26 == 5 ? ra + (u64)((s64)(s32)(word << 6) >> 4) : 0;
}

u64 v8_code_resumed(struct v8_heap *h, const struct v8_code *code, u64 ra)
{
	u64 left = code->start_addr + code->len - ra, to;
	size_t len = left < MAX_WAY_LEN ? left : MAX_WAY_LEN;
	u8 bytes[MAX_WAY_LEN];

	if (left > code->len || v8_read(h, ra, bytes, len) < 0)
		return 0;
	to = h->build->is_arm64 ? jump_arm64(bytes, len, ra) : jump_x86_64(bytes, len, ra);
	return to >= code->start_addr && to < ra ? to : 0;
}

/* What the call that returns to @ra calls, or 0. */
static u64 called(struct v8_heap *h, const struct v8_code *code, u64 ra)
{
	static const u8 call_r10[] = { 0x41, 0xff, 0xd2 }, mov_r10[] = { 0x49, 0xba },
			load_r10[] = { 0x4c, 0x8b, 0x15 };
	u8 text[CALL_LEN];
	u64 word;
	s32 rel;

	if (ra - code->start_addr < CALL_LEN || ra - code->start_addr > code->len ||
	    v8_read(h, ra - CALL_LEN, text, CALL_LEN) < 0)
		return 0;
	if (memcmp(text + 10, call_r10, sizeof(call_r10))) {
		memcpy(&rel, text + 9, sizeof(rel));
		return text[8] == 0xe8 ? ra + (u64)(s64)rel : 0;
	}
	memcpy(&word, text + 2, sizeof(word));
	if (!memcmp(text, mov_r10, sizeof(mov_r10)))
		return word;
	memcpy(&rel, text + 6, sizeof(rel));
	word = ra - sizeof(call_r10) + (u64)(s64)rel;
	if (memcmp(text + 3, load_r10, sizeof(load_r10)) || word - code->start_addr >= code->len ||
	    v8_read(h, word, &word, sizeof(word)) < 0)
		return 0;
	return word;
}

u64 v8_code_allocated(struct v8_heap *h, const struct v8_code *code, u64 ra)
{
	const struct v8_builtin *b;
	u64 callee;

	if (h->build->is_arm64 || code->tier != V8_TIER_TURBOFAN)
		return 0;
	callee = called(h, code, ra);
	b = v8_builtin_at(h, callee);
	return b && b->is_allocating && b->blob_off == v8_blob_offset(h, callee)
		       ? v8_code_resumed(h, code, ra)
		       : 0;
}
