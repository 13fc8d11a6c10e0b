/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The arm64 instructions that affect the stack, by their encoding (Arm Architecture Reference
 * Manual, DDI 0487, C4.1). All instructions have four bytes; register 31 is sp as a base and in
 * additions, otherwise the zero register.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flow_code.h"

enum { FP = 29, LR = 30, SP = 31 };

#define NOP 0xd503201f

#define NO_PAGE (~0ull)

struct decoder {
	u64 addr; /* address of the first byte */
	/* the last result of adrp in each register, minus the member addr, or NO_PAGE */
	u64 pages[32];
};

static u32 bits(u32 word, u32 high, u32 low)
{
	return word >> low & ((2u << (high - low)) - 1);
}

static s32 sbits(u32 word, u32 high, u32 low)
{
	return (s32)(word << (31 - high)) >> (31 - high + low);
}

static void set(struct flow_insn *to, enum flow_op op, s64 arg)
{
	to->op = (u8)op;
	to->arg = (s32)arg;
}

static void jump(struct flow_insn *to, enum flow_op op, s64 words)
{
	s64 target = to->off + 4 * words;

	set(to, op, target < 0 || target > 0x7fffffff ? FLOW_NO_TARGET : target);
}

/* Branches to a register, with or without pointer authentication. */
static bool set_register_branch(u32 w, struct flow_insn *to)
{
	u32 kind = bits(w, 24, 21) & 7;

	if (bits(w, 31, 25) != 0x6b || bits(w, 20, 16) != 31 || kind > 2)
		return false;
	set(to,
	    kind == 0	? FLOW_JUMP
	    : kind == 1 ? FLOW_CALL
			: FLOW_RET,
	    kind == 2 ? 0 : FLOW_NO_TARGET);
	to->is_indirect = kind == 0;
	return true;
}

static bool set_flow(u32 w, struct flow_insn *to)
{
	if (bits(w, 30, 26) == 5)
		jump(to, w >> 31 ? FLOW_CALL : FLOW_JUMP, sbits(w, 25, 0));
	else if (bits(w, 31, 24) == 0x54 || bits(w, 30, 25) == 0x1a) /* b.cond; cbz, cbnz */
		jump(to, FLOW_BRANCH, sbits(w, 23, 5));
	else if (bits(w, 30, 25) == 0x1b) /* tbz, tbnz */
		jump(to, FLOW_BRANCH, sbits(w, 18, 5));
	else if (w >> 16 == 0 || bits(w, 31, 21) == 0x6a1 || bits(w, 31, 21) == 0x6a2)
		set(to, FLOW_STOP, 0); /* udf; brk, hlt */
	else if (w == NOP)
		set(to, FLOW_NOP, 0);
	else
		return set_register_branch(w, to);
	return true;
}

/* Records that a register gets an unknown value. */
static void lose(struct flow_insn *to, u32 reg, bool is_sp)
{
	if (reg == FP)
		set(to, FLOW_FP_LOST, 0);
	else if (reg == LR)
		set(to, FLOW_LR_LOST, 0);
	else if (reg == SP && is_sp)
		set(to, FLOW_SP_LOST, 0);
}

static void set_add(struct decoder *d, u32 w, struct flow_insn *to)
{
	u32 rd = bits(w, 4, 0), rn = bits(w, 9, 5);
	s32 imm = (s32)bits(w, 21, 10) << (bits(w, 22, 22) ? 12 : 0);
	u64 at = d->pages[rn] + (u64)imm;

	if (bits(w, 30, 30))
		imm = -imm;
	if (rd == SP && rn == SP)
		set(to, FLOW_SP_ADD, imm);
	else if (rd == FP && rn == SP)
		set(to, FLOW_FP_FROM_SP, imm);
	else if (rd == SP && rn == FP)
		set(to, FLOW_SP_FROM_FP, imm);
	else
		lose(to, rd, true);
	if (d->pages[rn] != NO_PAGE && to->op == FLOW_OTHER && imm >= 0 && at <= 0x7fffffff) {
		to->is_address = true;
		to->arg = (s32)at;
	}
}

static void set_adr(struct decoder *d, u32 w, struct flow_insn *to)
{
	s64 imm = (s64)sbits(w, 23, 5) * 4 + bits(w, 30, 29);
	u64 page = ((d->addr + to->off) & ~0xfffull) + (u64)imm * 4096 - d->addr;

	lose(to, bits(w, 4, 0), false);
	if (w >> 31)
		d->pages[bits(w, 4, 0)] = page;
	else if (to->op == FLOW_OTHER && to->off + imm >= 0 && to->off + imm <= 0x7fffffff) {
		to->is_address = true;
		to->arg = (s32)(to->off + imm);
	}
}

/* Handles arithmetic: additions to sp, and other results in sp or fp. */
static void set_arithmetic(struct decoder *d, u32 w, struct flow_insn *to)
{
	u32 rd = bits(w, 4, 0);
	bool is_logic = bits(w, 28, 23) == 0x24 && bits(w, 30, 29) != 3; /* and #, orr #, eor # */
	bool is_extended = bits(w, 28, 21) == 0x59 && !bits(w, 29, 29); /* add, sub of a register */
	bool is_add = bits(w, 28, 23) == 0x22 && w >> 31 && !bits(w, 29, 29);

	if (bits(w, 28, 24) == 0x10)
		return set_adr(d, w, to);
	if (is_add)
		set_add(d, w, to);
	else if (w == (0xd2800000 | FP) || w == (0xaa1f03e0 | FP)) /* mov x29, #0; mov x29, xzr */
		set(to, FLOW_FP_ZERO, 0);
	else
		lose(to, rd, is_logic || is_extended);
	d->pages[rd] = NO_PAGE;
}

/* A memory access. */
struct access {
	bool is_load, is_simd, has_pre, has_post; /* has_pre, has_post: base is updated before or
						   * after the access */
	u32 base, regs[2], n_regs;
	s32 off, size; /* offset of the first register's slot; bytes of each register */
};

/* ldp, stp, and their non-temporal forms. */
static bool is_pair(u32 w, struct access *a)
{
	u32 opc = bits(w, 31, 30), mode = bits(w, 24, 23);

	if (bits(w, 29, 27) != 5 || bits(w, 25, 25))
		return false;
	a->is_simd = bits(w, 26, 26);
	a->size = a->is_simd ? 4 << opc : opc == 2 ? 8 : 4;
	a->is_load = bits(w, 22, 22);
	a->off = sbits(w, 21, 15) * a->size;
	a->has_pre = mode == 3;
	a->has_post = mode == 1;
	a->regs[1] = bits(w, 14, 10);
	a->n_regs = 2;
	return true;
}

/*
 * Loads and stores of a single register, at an immediate offset or with writeback; all others have
 * an unknown offset.
 */
static bool is_single(u32 w, struct access *a)
{
	u32 size = bits(w, 31, 30), opc = bits(w, 23, 22), mode = bits(w, 11, 10);

	if (bits(w, 29, 27) != 7 || bits(w, 25, 25))
		return false;
	a->is_simd = bits(w, 26, 26);
	a->size = 1 << size;
	a->is_load = opc != 0;
	a->n_regs = size == 3 && opc == 2 && !a->is_simd ? 0 : 1; /* prfm */
	if (bits(w, 24, 24))
		a->off = (s32)bits(w, 21, 10) * a->size;
	else if (bits(w, 21, 21))
		a->size = 0;
	else
		a->off = sbits(w, 20, 12);
	a->has_pre = !bits(w, 24, 24) && !bits(w, 21, 21) && mode == 3;
	a->has_post = !bits(w, 24, 24) && !bits(w, 21, 21) && mode == 1;
	return true;
}

static void set_access(const struct access *a, struct flow_insn *to)
{
	bool by_sp = a->base == SP, moves = a->has_pre || a->has_post;

	set(to, by_sp && moves ? FLOW_SP_ADD : FLOW_OTHER, by_sp && moves ? a->off : 0);
	if (moves)
		lose(to, a->base, false);
	for (u32 i = 0; i < a->n_regs && !a->is_simd; i++) {
		s32 at = (moves ? 0 : a->off) + (s32)i * a->size;
		bool is_slot = by_sp && a->size == 8 && at % 8 == 0 && at >= 0;

		if (a->regs[i] != FP && a->regs[i] != LR)
			continue;
		if (!is_slot) {
			if (a->is_load)
				set(to, by_sp && moves ? FLOW_SP_LOST : FLOW_OTHER, 0);
			if (a->is_load && to->op == FLOW_OTHER)
				lose(to, a->regs[i], false);
			continue;
		}
		to->op = a->is_load ? FLOW_LOAD : FLOW_STORE;
		if (a->regs[i] == FP)
			to->fp_at = (s16)(at / 8);
		else
			to->ra_at = (s16)(at / 8);
		to->has_fp |= a->regs[i] == FP;
		to->has_ra |= a->regs[i] == LR;
	}
	/*
	 * Neither a store with post-indexing nor a load with pre-indexing belongs to a known frame
	 * layout.
	 */
	if (to->op == FLOW_STORE && a->has_post)
		set(to, FLOW_SP_LOST, 0);
	if (to->op == FLOW_LOAD && a->has_pre)
		set(to, FLOW_SP_LOST, 0);
}

static void decode(struct decoder *d, u32 w, struct flow_insn *to)
{
	struct access a = { .base = bits(w, 9, 5), .regs = { bits(w, 4, 0) } };

	if (set_flow(w, to))
		return;
	if (is_pair(w, &a) || is_single(w, &a)) {
		set_access(&a, to);
		if (a.is_load && !a.is_simd)
			for (u32 i = 0; i < a.n_regs; i++)
				d->pages[a.regs[i]] = NO_PAGE;
	} else if (bits(w, 28, 26) == 4 || bits(w, 27, 25) == 5) {
		set_arithmetic(d, w, to);
	} else if (bits(w, 29, 24) == 8) { /* exclusive: ldxr, casp, ... */
		lose(to, bits(w, 4, 0), false);
	}
}

int flow_code_arm64(struct flow_code *c, const u8 *bytes, u32 len, u64 addr)
{
	struct decoder d = { .addr = addr };
	u32 start = (u32)(-addr & 3);

	*c = (struct flow_code){};
	memset(d.pages, 0xff, sizeof(d.pages));
	c->insns = calloc(len / 4 + 1, sizeof(*c->insns));
	if (!c->insns)
		return -ENOMEM;
	for (u32 off = start; off < len && len - off >= 4; off += 4) {
		struct flow_insn *to = &c->insns[c->n++];
		u32 word;

		memcpy(&word, bytes + off, sizeof(word));
		*to = (struct flow_insn){ .off = off, .len = 4 };
		decode(&d, word, to);
	}
	return 0;
}
