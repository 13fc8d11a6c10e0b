/* SPDX-License-Identifier: BSD-2-Clause */

/* Classifies x86-64 instructions; only a dozen kinds matter. */

#include <errno.h>
#include <stdlib.h>

#include "../util/search.h"
#include "disasm.h"
#include "flow_code.h"

void flow_code_deinit(struct flow_code *c)
{
	free(c->insns);
	*c = (struct flow_code){};
}

static bool is_reg(const cs_x86 *x, u32 i, x86_reg reg)
{
	return i < x->op_count && x->operands[i].type == X86_OP_REG && x->operands[i].reg == reg;
}

/* Whether the operand is base + displacement. */
static bool is_based(const cs_x86 *x, u32 i, x86_reg base)
{
	return i < x->op_count && x->operands[i].type == X86_OP_MEM &&
	       x->operands[i].mem.base == base && x->operands[i].mem.index == X86_REG_INVALID &&
	       x->operands[i].mem.segment == X86_REG_INVALID;
}

static void set(struct flow_insn *to, enum flow_op op, s64 arg)
{
	to->op = (u8)op;
	to->arg = (s32)arg;
	if (arg != to->arg)
		to->op = FLOW_SP_LOST;
}

/*
 * Records that the instruction takes an address. If the address is not one of code, only a possible
 * function start is wrong.
 */
static void set_address(struct flow_insn *to, s64 off)
{
	to->is_address = off >= 0 && off <= 0x7fffffff;
	to->arg = to->is_address ? (s32)off : 0;
}

static void set_lea(const cs_insn *insn, const cs_x86 *x, struct flow_insn *to)
{
	s64 disp = x->op_count == 2 ? x->operands[1].mem.disp : 0;

	if (is_reg(x, 0, X86_REG_RSP) && is_based(x, 1, X86_REG_RSP))
		set(to, FLOW_SP_ADD, disp);
	else if (is_reg(x, 0, X86_REG_RSP) && is_based(x, 1, X86_REG_RBP))
		set(to, FLOW_SP_FROM_FP, disp);
	else if (is_reg(x, 0, X86_REG_RBP) && is_based(x, 1, X86_REG_RSP))
		set(to, FLOW_FP_FROM_SP, disp);
	else if (is_based(x, 1, X86_REG_RIP))
		set_address(to, (s64)insn->address + insn->size + disp);
}

/* The enum uw_scratch of an operand that is a whole scratch register, or FLOW_NO_SCRATCH. */
static int scratch_of(const cs_x86 *x, u32 i)
{
	static const x86_reg regs[UW_N_SCRATCH] = { X86_REG_R10, X86_REG_RAX, X86_REG_RCX,
						    X86_REG_R8,	 X86_REG_R9,  X86_REG_R11 };

	for (int k = 0; k < UW_N_SCRATCH; k++)
		if (is_reg(x, i, regs[k]))
			return k;
	return FLOW_NO_SCRATCH;
}

static void set_push(const cs_x86 *x, struct flow_insn *to)
{
	to->scratch = scratch_of(x, 0);
	if (is_reg(x, 0, X86_REG_RBP))
		set(to, FLOW_PUSH_FP, 0);
	else
		set(to, FLOW_PUSH,
		    is_based(x, 0, X86_REG_RSP) ? x->operands[0].mem.disp : FLOW_NO_WORD);
}

static void set_scratch_from_sp(const cs_x86 *x, struct flow_insn *to)
{
	to->scratch = scratch_of(x, 0);
	set(to, FLOW_SCRATCH_FROM_SP, 0);
}

/* Handles known changes of sp or fp, and address computations. */
static void set_known(const cs_insn *insn, const cs_x86 *x, u64 addr, struct flow_insn *to)
{
	bool has_imm = x->op_count == 2 && x->operands[1].type == X86_OP_IMM;

	switch (insn->id) {
	case X86_INS_PUSH:
		return set_push(x, to);
	case X86_INS_PUSHFQ:
		return set(to, FLOW_PUSH, FLOW_NO_WORD);
	case X86_INS_POP:
		to->scratch = scratch_of(x, 0);
		return set(to,
			   is_reg(x, 0, X86_REG_RSP)   ? FLOW_SP_LOST
			   : is_reg(x, 0, X86_REG_RBP) ? FLOW_POP_FP
						       : FLOW_POP,
			   0);
	case X86_INS_POPFQ:
		return set(to, FLOW_POP, 0);
	case X86_INS_LEAVE:
		return set(to, FLOW_LEAVE, 0);
	case X86_INS_ADD:
	case X86_INS_SUB:
		if (is_reg(x, 0, X86_REG_RSP) && has_imm)
			set(to, FLOW_SP_ADD,
			    insn->id == X86_INS_ADD ? x->operands[1].imm : -x->operands[1].imm);
		return;
	case X86_INS_MOV:
		if (is_reg(x, 0, X86_REG_RSP) && is_reg(x, 1, X86_REG_RBP))
			set(to, FLOW_SP_FROM_FP, 0);
		else if (is_reg(x, 0, X86_REG_RBP) && is_reg(x, 1, X86_REG_RSP))
			set(to, FLOW_FP_FROM_SP, 0);
		else if (is_reg(x, 1, X86_REG_RSP) && scratch_of(x, 0) >= 0)
			set_scratch_from_sp(x, to);
		else if (has_imm)
			set_address(to, (s64)((u64)x->operands[1].imm - addr));
		return;
	case X86_INS_XOR:
		if (is_reg(x, 0, X86_REG_EBP) && is_reg(x, 1, X86_REG_EBP))
			set(to, FLOW_FP_ZERO, 0);
		return;
	case X86_INS_LEA:
		return set_lea(insn, x, to);
	case X86_INS_NOP:
		return set(to, FLOW_NOP, 0);
	}
}

static bool set_flow(csh handle, const cs_insn *insn, const cs_x86 *x, struct flow_insn *to)
{
	bool has_target = x->op_count == 1 && x->operands[0].type == X86_OP_IMM;
	s64 target = has_target ? x->operands[0].imm : FLOW_NO_TARGET;

	if (target < 0 || target > 0x7fffffff)
		target = FLOW_NO_TARGET;
	if (insn->id == X86_INS_CALL) {
		set(to, FLOW_CALL, target);
	} else if (insn->id == X86_INS_JMP) {
		set(to, FLOW_JUMP, target);
		to->is_indirect = !has_target;
	} else if (cs_insn_group(handle, insn, CS_GRP_JUMP)) {
		set(to, FLOW_BRANCH, target);
	} else if (cs_insn_group(handle, insn, CS_GRP_RET)) {
		set(to, FLOW_RET, 0);
	} else if (insn->id == X86_INS_HLT || insn->id == X86_INS_UD2 || insn->id == X86_INS_INT3) {
		set(to, FLOW_STOP, 0);
	} else {
		return false;
	}
	return true;
}

/* The bit of the scratch register that @reg is a part of. */
static u8 scratch_bit(u16 reg)
{
	static const int numbers[UW_N_SCRATCH] = { 10, 0, 1, 8, 9, 11 };

	for (u32 i = 0; i < UW_N_SCRATCH; i++)
		if (disasm_reg(reg) == numbers[i])
			return (u8)(1u << i);
	return 0;
}

static bool is_indexed_by_sp(const cs_x86_op *op)
{
	return op->type == X86_OP_MEM && op->mem.base == X86_REG_RSP &&
	       op->mem.index != X86_REG_INVALID && !op->mem.disp;
}

/* Handles all writes to sp, fp, a scratch register or memory that no other function handles. */
static void set_lost(csh handle, const cs_insn *insn, struct flow_insn *to)
{
	cs_regs read, written;
	u8 n_read, n_written;

	/* Capstone 4.0.2 wrongly reports that a test with an immediate writes. */
	if (insn->id == X86_INS_TEST ||
	    cs_regs_access(handle, insn, read, &n_read, written, &n_written))
		return;
	for (u8 i = 0; i < insn->detail->x86.op_count; i++) {
		const cs_x86_op *op = &insn->detail->x86.operands[i];
		bool is_written = op->access & CS_AC_WRITE;

		to->writes_memory |= op->type == X86_OP_MEM && is_written;
		to->writes_at_sp |= is_indexed_by_sp(op) && is_written;
		to->writes_above_sp |= is_based(&insn->detail->x86, i, X86_REG_RSP) &&
				       op->mem.disp > 0 && is_written;
	}
	for (u8 i = 0; i < n_written; i++) {
		to->writes_scratch |= scratch_bit(written[i]);
		if (written[i] == X86_REG_RSP || written[i] == X86_REG_ESP ||
		    written[i] == X86_REG_SP)
			to->op = FLOW_SP_LOST;
		else if (written[i] == X86_REG_RBP || written[i] == X86_REG_EBP ||
			 written[i] == X86_REG_BP || written[i] == X86_REG_BPL)
			to->op = to->op == FLOW_SP_LOST ? FLOW_SP_LOST : FLOW_FP_LOST;
	}
}

struct sweep {
	struct flow_code *code;
	u32 cap; /* capacity of the array of instructions */
	u64 addr; /* address of the first byte */
};

static int add(csh handle, const cs_insn *insn, void *data)
{
	struct sweep *s = data;
	struct flow_code *c = s->code;
	struct flow_insn *to;

	if (c->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 4096;
		to = reallocarray(c->insns, s->cap, sizeof(*to));
		if (!to)
			return -ENOMEM;
		c->insns = to;
	}
	to = &c->insns[c->n++];
	*to = (struct flow_insn){ .off = (u32)insn->address,
				  .len = (u8)insn->size,
				  .scratch = FLOW_NO_SCRATCH };
	if (set_flow(handle, insn, &insn->detail->x86, to))
		return 0;
	set_known(insn, &insn->detail->x86, s->addr, to);
	if (to->op == FLOW_OTHER)
		set_lost(handle, insn, to);
	return 0;
}

int flow_code_x86_64(struct flow_code *c, const u8 *bytes, u32 len, u64 addr)
{
	struct sweep s = { .code = c, .addr = addr };
	int err;

	*c = (struct flow_code){};
	err = disasm_x86_64(bytes, len, 0, add, &s);
	if (err < 0)
		flow_code_deinit(c);
	return err;
}

struct flow_insn *flow_code_at(const struct flow_code *c, u32 off)
{
	size_t at = search_first(c->n, i, c->insns[i].off < off);

	return at < c->n && c->insns[at].off == off ? &c->insns[at] : NULL;
}

bool flow_code_goes_on(const struct flow_code *c, u32 i)
{
	const struct flow_insn *insn = &c->insns[i];

	return insn->op != FLOW_JUMP && insn->op != FLOW_STOP && insn->op != FLOW_RET &&
	       i + 1 < c->n && insn[1].off == insn->off + insn->len;
}

u32 flow_code_successors(const struct flow_code *c, u32 i, u32 next[2])
{
	const struct flow_insn *insn = &c->insns[i], *to = NULL;
	u32 n = 0;

	if (insn->arg >= 0 && (insn->op == FLOW_JUMP || insn->op == FLOW_BRANCH))
		to = flow_code_at(c, (u32)insn->arg);
	if (to)
		next[n++] = (u32)(to - c->insns);
	if (flow_code_goes_on(c, i))
		next[n++] = i + 1;
	return n;
}
