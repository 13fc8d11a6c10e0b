/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds where the bytecode offset is at each instruction of an x86-64 bytecode handler.
 *
 * A handler begins with the bytecode's offset in r9, and ends with a jump to the next handler (a
 * dispatch) with the next bytecode's offset in r9 (v8/src/codegen/x64/register-x64.h at 12.4.254;
 * the same in 8.4 to 14.6). In between, the offset may be anywhere; the slot in the function's
 * frame is stale until the handler makes a call. So the handler's instructions are analyzed; at the
 * first one, rbp points to the function's frame. The analysis tracks moves, added constants, and
 * words of the handler's frame; other writes make a register unknown. Joins keep equal contents.
 *
 * If a register is read after a call before it is written, the call preserves the register: the
 * compiler relies on that, e.g. if the callee saves all registers (write barriers, DoubleToI). So
 * liveness is computed first, backwards. A call returns in rax and rdx, so an offset in these
 * registers is lost; the address of a frame is not, because no call returns one.
 *
 *	function's frame           handler's own frame, if any
 *	fp - slot_off  offset      rbp      function's fp
 *	                           rbp - n  words that were saved before a call
 */

#include <errno.h>
#include <stdlib.h>

#include "../../../../core/v8/v8_info.h"
#include "../../../unwind/disasm.h"
#include "../../../util/cleanup.h"
#include "x86_64.h"

#define N_REGS 16
#define N_SAVED 32 /* number of words of the own frame that are tracked */
#define MAX_ADDEND 64 /* greater than the length of any bytecode with its prefix */
#define MAX_VISITS 16 /* limit of visits per byte, on average; V8's code needs about two */
#define MAX_WAY 64 /* maximum length of a straight path to a dispatch, in instructions */
#define MAX_PASSES 64 /* for liveness; if more passes are needed, some offsets are not found */

enum { RAX, RDX = 2, RSP = 4, RBP, R9 = 9, R12 = 12, R14 = 14, R15, NO_REG = -1, NO_TARGET = -1 };

/* A word has the bytecode offset + an addend (|addend| <= MAX_ADDEND), or one of these. */
enum { NOT_KNOWN = INT16_MAX, FUNCTION_FP = 1000, OWN_FP };

/* Indices of the tracked words: registers by number, the slot, and words of the own frame. */
enum { SLOT = N_REGS, SAVED, N_WORDS = SAVED + N_SAVED };

struct state {
	s16 words[N_WORDS];
};

enum op {
	OTHER,
	ADD, /* to = from + disp */
	LOAD, /* to = [base + disp] */
	STORE, /* [base + disp] = from; if @from is NO_REG, some other value */
	PUSH_FP,
	CALL,
};

struct insn {
	s32 disp;
	s32 target; /* offset of a jump's target, or NO_TARGET */
	u16 reads, writes; /* masks of registers */
	u16 live; /* registers that later code reads before it writes them */
	u8 len, op; /* len 0: no instruction begins here */
	s8 to, from, base;
	bool is_word : 1; /* the operand is a whole word */
	bool ends : 1; /* execution does not reach the next instruction */
	bool is_dispatch : 1;
};

struct work {
	struct insn *insns; /* by offset, with one more element after the last */
	u32 len, slot_off;
};

static const struct v8_place nowhere = { .in_register = V8_ABSENT,
					 .saved = { V8_ABSENT, V8_ABSENT, V8_ABSENT } };

/* ---- decoding ---- */

/* Returns the number of a register that has room for an offset, else NO_REG. */
static s8 register_of(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && op->size >= 4 ? (s8)disasm_reg(op->reg) : NO_REG;
}

/* Decodes an operand in memory at a constant distance from a register. */
static bool set_memory(struct insn *at, enum op op, const cs_x86_op *memory)
{
	if (memory->type != X86_OP_MEM || memory->mem.index != X86_REG_INVALID ||
	    disasm_reg(memory->mem.base) < 0 || memory->mem.disp != (s32)memory->mem.disp)
		return false;
	at->op = (u8)op;
	at->base = (s8)disasm_reg(memory->mem.base);
	at->disp = (s32)memory->mem.disp;
	at->is_word = memory->size == 8;
	return true;
}

static void set_add(struct insn *at, s8 to, s8 from, s64 n)
{
	if (to == NO_REG || from == NO_REG || n != (s32)n)
		return;
	at->op = ADD;
	at->to = to;
	at->from = from;
	at->disp = (s32)n;
}

static void set_move(struct insn *at, const cs_x86_op *to, const cs_x86_op *from)
{
	at->to = register_of(to);
	at->from = register_of(from);
	if (to->type == X86_OP_MEM)
		set_memory(at, STORE, to);
	else if (from->type == X86_OP_MEM && at->to != NO_REG)
		set_memory(at, LOAD, from);
	else
		set_add(at, at->to, at->from, 0);
}

static void set_op(struct insn *at, const cs_insn *in)
{
	const cs_x86_op *to = &in->detail->x86.operands[0], *from = to + 1;
	s8 reg = register_of(to);

	switch (in->id) {
	case X86_INS_MOV:
	case X86_INS_MOVSXD:
		return set_move(at, to, from);
	case X86_INS_LEA:
		if (set_memory(at, OTHER, from))
			set_add(at, reg, at->base, at->disp);
		return;
	case X86_INS_ADD:
	case X86_INS_SUB:
		if (from->type == X86_OP_IMM)
			set_add(at, reg, reg, in->id == X86_INS_ADD ? from->imm : -from->imm);
		return;
	case X86_INS_PUSH:
		at->op = reg == RBP ? PUSH_FP : OTHER;
		return;
	case X86_INS_POP:
		if (reg == RBP)
			*at = (struct insn){ .op = LOAD, .to = RBP, .base = RSP, .is_word = true };
		return;
	case X86_INS_CALL:
		at->op = CALL;
		return;
	}
}

/* Decodes other stores, in which at most one operand is written to memory. */
static void set_store(struct insn *at, const cs_x86 *x)
{
	at->from = NO_REG;
	for (int i = 0; i < x->op_count; i++)
		if (x->operands[i].access & CS_AC_WRITE)
			set_memory(at, STORE, &x->operands[i]);
}

static void note_registers(csh handle, const cs_insn *in, struct insn *at)
{
	const cs_x86_op *op = in->detail->x86.operands;
	cs_regs read, written;
	u8 n_read, n_written;

	if (cs_regs_access(handle, in, read, &n_read, written, &n_written))
		return;
	for (int i = 0; i < n_read; i++)
		if (disasm_reg(read[i]) >= 0)
			at->reads |= (u16)(1 << disasm_reg(read[i]));
	for (int i = 0; i < n_written; i++)
		if (disasm_reg(written[i]) >= 0)
			at->writes |= (u16)(1 << disasm_reg(written[i]));
	if (in->id == X86_INS_XOR && op[0].type == X86_OP_REG && op[1].type == X86_OP_REG &&
	    op[0].reg == op[1].reg)
		at->reads = 0;
	if (at->op == CALL) {
		at->reads = 0;
		at->writes = 1 << RAX | 1 << RDX | 1 << RSP;
	}
	if (at->is_dispatch) /* the BytecodeArray is in r14 (8.4) or r12 */
		at->reads |= 1 << RAX | 1 << R9 | 1 << R12 | 1 << R14 | 1 << R15;
}

static int note(csh handle, const cs_insn *in, void *data)
{
	struct work *w = data;
	const cs_x86_op *to = in->detail->x86.operands;
	struct insn *at = &w->insns[in->address];

	set_op(at, in);
	if (at->op == OTHER)
		set_store(at, &in->detail->x86);
	at->len = (u8)in->size;
	at->ends = in->id == X86_INS_JMP || in->id == X86_INS_RET || in->id == X86_INS_INT3 ||
		   in->id == X86_INS_UD2;
	at->is_dispatch = in->id == X86_INS_JMP && to->type != X86_OP_IMM;
	at->target = NO_TARGET;
	if (cs_insn_group(handle, in, CS_GRP_JUMP) && to->type == X86_OP_IMM && to->imm >= 0 &&
	    to->imm < w->len)
		at->target = (s32)to->imm;
	note_registers(handle, in, at);
	return 0;
}

/* ---- states ---- */

static s16 plus(s16 value, s32 n)
{
	if (!n)
		return value;
	if (value > MAX_ADDEND || n < -MAX_ADDEND || n > MAX_ADDEND)
		return NOT_KNOWN;
	n += value;
	return n < -MAX_ADDEND || n > MAX_ADDEND ? NOT_KNOWN : (s16)n;
}

/* Returns the tracked word of the own frame that the instruction accesses, or NULL. */
static s16 *saved_at(struct state *s, const struct insn *at)
{
	s64 n = (7 - (s64)at->disp) / 8;

	return s->words[at->base] == OWN_FP && n >= 1 && n <= N_SAVED ? &s->words[SAVED + n - 1]
								      : NULL;
}

static s16 load(struct state *s, const struct insn *at)
{
	const s16 *saved = saved_at(s, at);

	if (s->words[at->base] == OWN_FP && !at->disp && at->is_word)
		return FUNCTION_FP;
	return saved && at->disp % 8 == 0 ? *saved : NOT_KNOWN;
}

/* The slot has a SMI: the value is in the upper half, and the lower half is zero. */
static void store(const struct work *w, struct state *s, const struct insn *at)
{
	s64 upper = 4 - (s64)w->slot_off;
	s16 value = at->from == NO_REG ? NOT_KNOWN : s->words[at->from];
	s16 *saved = saved_at(s, at);

	if (saved)
		*saved = at->is_word && at->disp % 8 == 0 ? value : NOT_KNOWN;
	if (s->words[at->base] == FUNCTION_FP && at->disp == upper)
		s->words[SLOT] = value;
	else if (s->words[at->base] == FUNCTION_FP && at->disp == upper - 4 && at->is_word)
		s->words[SLOT] = NOT_KNOWN;
}

static bool transfer(const void *user, u32 i, void *state)
{
	const struct work *w = user;
	const struct insn *at = &w->insns[i];
	struct state *s = state;
	u16 lost = at->op == CALL ? (u16)~at->live | at->writes : at->writes;
	s16 value = NOT_KNOWN;

	if (at->op == ADD)
		value = plus(s->words[at->from], at->disp);
	else if (at->op == LOAD)
		value = load(s, at);
	else if (at->op == STORE)
		store(w, s, at);
	else if (at->op == PUSH_FP && s->words[RBP] == FUNCTION_FP)
		value = OWN_FP;
	for (int k = 0; k < N_REGS; k++)
		if (lost & 1 << k && (at->op != CALL || s->words[k] <= MAX_ADDEND))
			s->words[k] = NOT_KNOWN;
	if (at->op == ADD || at->op == LOAD)
		s->words[at->to] = value;
	else if (at->op == PUSH_FP)
		s->words[RSP] = value;
	return true;
}

/* ---- whole handlers ---- */

static u32 successors(const void *user, u32 i, u32 next[2])
{
	const struct work *w = user;
	const struct insn *at = &w->insns[i];
	u32 n = 0;

	if (at->target >= 0 && w->insns[at->target].len)
		next[n++] = (u32)at->target;
	if (!at->ends && at[at->len].len)
		next[n++] = i + at->len;
	return n;
}

static void find_liveness(struct work *w)
{
	bool has_changed = true;

	for (int pass = 0; has_changed && pass < MAX_PASSES; pass++) {
		has_changed = false;
		for (u32 i = w->len; i--;) {
			u32 next[2], n = w->insns[i].len ? successors(w, i, next) : 0;
			u16 *live = &w->insns[i].live, before = *live;

			for (u32 k = 0; k < n; k++) {
				const struct insn *to = &w->insns[next[k]];

				*live |= (u16)((to->live & ~to->writes) | to->reads);
			}
			has_changed |= *live != before;
		}
	}
}

static enum data_flow_join join(const void *user, u32 i, void *old, const void *now,
				enum data_flow_when when)
{
	struct state *s = old;
	enum data_flow_join joined = DATA_FLOW_SAME;

	(void)user;
	(void)i;
	(void)when;
	for (int k = 0; k < N_WORDS; k++) {
		if (s->words[k] != NOT_KNOWN &&
		    s->words[k] != ((const struct state *)now)->words[k]) {
			s->words[k] = NOT_KNOWN;
			joined = DATA_FLOW_CHANGED;
		}
	}
	return joined;
}

static const struct data_flow_ops ops = { sizeof(struct state), transfer, successors, join };

static bool follow(struct data_flow *d)
{
	struct state s;

	for (int i = 0; i < N_WORDS; i++)
		s.words[i] = NOT_KNOWN;
	s.words[R9] = 0;
	s.words[RBP] = FUNCTION_FP;
	d->steps = MAX_VISITS * (u64)d->n;
	data_flow_put(d, 0, &s);
	return data_flow_follow(d);
}

/* Does execution reach a dispatch without a branch and with r9 unchanged? */
static bool has_next(const struct work *w, u32 i)
{
	const struct insn *at = &w->insns[i];

	for (u32 n = 1;
	     n < MAX_WAY && at->len && !at->ends && at->target < 0 && !(at->writes & 1 << R9); n++)
		at += at->len;
	return at->is_dispatch;
}

static s8 addend_of(s16 value)
{
	return value <= MAX_ADDEND ? (s8)value : V8_ABSENT;
}

static struct v8_place place_of(const struct work *w, const struct data_flow *d, u32 i)
{
	const struct state *s = data_flow_state(d, i);
	struct v8_place p = nowhere;

	if (!data_flow_is_reached(d, i))
		return p;
	/* A handler of wide operands writes the prefix's offset, which is one less. */
	p.in_slot = !s->words[SLOT] || s->words[SLOT] == -1;
	p.in_register = addend_of(s->words[R9]);
	for (u32 k = 0; k < V8_SAVED_WORDS; k++)
		p.saved[k] = addend_of(s->words[SAVED + V8_SAVED_SLOT / 8 - 1 + k]);
	if (has_next(w, i) && !p.in_slot && p.in_register == V8_ABSENT)
		p.in_register = 0;
	return p;
}

int v8_handler_places(const u8 *code, u32 len, u32 slot_off, struct v8_place *places)
{
	_cleanup_free_ struct insn *insns = calloc(len + 1, sizeof(*insns));
	struct work w = { .insns = insns, .len = len, .slot_off = slot_off };
	struct data_flow d;
	int err = insns ? disasm_x86_64(code, len, 0, note, &w) : -ENOMEM;

	if (err)
		return err;
	for (u32 i = 0; i < len; i++)
		places[i] = nowhere;
	find_liveness(&w);
	err = data_flow_init(&d, &ops, &w, len);
	if (!err && len && insns[0].len && follow(&d))
		for (u32 i = 0; i < len; i++)
			for (u32 k = 0; k < insns[i].len; k++)
				places[i + k] = place_of(&w, &d, i);
	data_flow_deinit(&d);
	return err;
}
