/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * At a handler's first instruction r9 has the offset and rbp the function's frame. What each
 * instruction does to where these two are is known for moves, for the addition of a constant and
 * for words of the handler's own frame; anything else that writes a register makes it unknown.
 * Where two ways meet only what both agree on is left.
 *
 * A call keeps what its caller goes on to read without writing it before: so the compiler has
 * promised, be it that the callee saves all registers (write barriers) or that the caller has
 * loaded it again. For that, liveness is found first, backwards.
 *
 *	function's frame           own frame, where there is one
 *	fp - slot_off  offset      rbp      function's fp
 *	                           rbp - n  words that were saved before a call
 */

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "v8_handler.h"

#define N_REGS 16
#define N_SAVED 32 /* words of the own frame that are followed */
#define MAX_ADDEND 64 /* no bytecode with its prefix is as long */
#define MAX_VISITS 64 /* of an instruction, on average; V8's take about two */
#define MAX_WAY 64 /* instructions before a dispatch */
#define MAX_PASSES 64 /* for liveness; with less of it less is known */

enum { RAX, RDX = 2, RSP = 4, RBP, R9 = 9, R12 = 12, R14 = 14, R15, NO_REG = -1 };

/* What a word is: the offset and so much (|addend| <= MAX_ADDEND), or one of these. */
enum { UNKNOWN = INT16_MAX, FUNCTION_FP = 1000, OWN_FP };

struct state {
	bool is_known; /* some way leads here */
	bool in_slot;
	s16 regs[N_REGS], saved[N_SAVED];
};

enum op {
	OTHER,
	ADD, /* to = from + disp */
	LOAD, /* to = [base + disp] */
	STORE, /* [base + disp] = from; NO_REG: something else */
	PUSH_FP,
	CALL,
};

struct insn {
	u32 off;
	s32 disp;
	s32 target; /* offset of what it may jump to, or -1; then its index */
	u16 reads, writes; /* masks of registers */
	u16 live; /* what is read after it before it is written */
	u8 len, op;
	s8 to, from, base;
	bool is_word : 1; /* all of a word is loaded or stored */
	bool ends : 1; /* nothing goes on to the next one */
	bool is_dispatch : 1;
};

struct work {
	struct insn *insns;
	struct state *states;
	u32 *todo, n, n_todo, slot_off;
};

static const struct v8_place nowhere = {
	.in_register = V8_ABSENT,
	.saved = { V8_ABSENT, V8_ABSENT, V8_ABSENT },
};

/* ---- what an instruction does ---- */

static int number_of(x86_reg reg)
{
	static const u16 names[N_REGS][4] = {
#define ROW(q, d, w, b) { X86_REG_##q, X86_REG_##d, X86_REG_##w, X86_REG_##b }
		ROW(RAX, EAX, AX, AL),	    ROW(RCX, ECX, CX, CL),	ROW(RDX, EDX, DX, DL),
		ROW(RBX, EBX, BX, BL),	    ROW(RSP, ESP, SP, SPL),	ROW(RBP, EBP, BP, BPL),
		ROW(RSI, ESI, SI, SIL),	    ROW(RDI, EDI, DI, DIL),	ROW(R8, R8D, R8W, R8B),
		ROW(R9, R9D, R9W, R9B),	    ROW(R10, R10D, R10W, R10B), ROW(R11, R11D, R11W, R11B),
		ROW(R12, R12D, R12W, R12B), ROW(R13, R13D, R13W, R13B), ROW(R14, R14D, R14W, R14B),
		ROW(R15, R15D, R15W, R15B),
#undef ROW
	};

	for (int i = 0; i < N_REGS; i++)
		for (int k = 0; k < 4; k++)
			if (names[i][k] == reg)
				return i;
	return -1;
}

/* Its number if it is a register that an offset fits in. */
static s8 register_of(const cs_x86_op *op)
{
	return op->type == X86_OP_REG && op->size >= 4 ? (s8)number_of(op->reg) : NO_REG;
}

/* Memory at a constant distance from a register. */
static bool set_memory(struct insn *at, enum op op, const cs_x86_op *memory)
{
	if (memory->type != X86_OP_MEM || memory->mem.index != X86_REG_INVALID ||
	    number_of(memory->mem.base) < 0 || memory->mem.disp != (s32)memory->mem.disp)
		return false;
	at->op = (u8)op;
	at->base = (s8)number_of(memory->mem.base);
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
		if (from->type == X86_OP_IMM)
			set_add(at, reg, reg, from->imm);
		return;
	case X86_INS_SUB:
		if (from->type == X86_OP_IMM)
			set_add(at, reg, reg, -from->imm);
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

/* What else writes memory; one operand at most does. */
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
		if (number_of(read[i]) >= 0)
			at->reads |= (u16)(1 << number_of(read[i]));
	for (int i = 0; i < n_written; i++)
		if (number_of(written[i]) >= 0)
			at->writes |= (u16)(1 << number_of(written[i]));
	if (in->id == X86_INS_XOR && op[0].type == X86_OP_REG && op[1].type == X86_OP_REG &&
	    op[0].reg == op[1].reg)
		at->reads = 0;
	if (at->op == CALL) {
		at->reads = 0;
		at->writes = 1 << RAX | 1 << RDX | 1 << RSP;
	}
	if (at->is_dispatch) /* the array has been in r14 (8.4) and r12 */
		at->reads |= 1 << RAX | 1 << R9 | 1 << R12 | 1 << R14 | 1 << R15;
}

static void note(csh handle, const cs_insn *in, u32 len, struct insn *at)
{
	const cs_x86 *x = &in->detail->x86;

	*at = (struct insn){ 0 };
	set_op(at, in);
	if (at->op == OTHER)
		set_store(at, x);
	at->off = (u32)in->address;
	at->len = (u8)in->size;
	at->ends = in->id == X86_INS_JMP || in->id == X86_INS_RET || in->id == X86_INS_INT3 ||
		   in->id == X86_INS_UD2;
	at->is_dispatch = in->id == X86_INS_JMP && x->operands[0].type != X86_OP_IMM;
	at->target = -1;
	if (cs_insn_group(handle, in, CS_GRP_JUMP) && x->operands[0].type == X86_OP_IMM &&
	    x->operands[0].imm >= 0 && x->operands[0].imm < len)
		at->target = (s32)x->operands[0].imm;
	note_registers(handle, in, at);
}

/* ---- what is known after it ---- */

static s16 plus(s16 value, s32 n)
{
	if (!n)
		return value;
	if (value > MAX_ADDEND || n < -MAX_ADDEND || n > MAX_ADDEND)
		return UNKNOWN;
	n += value;
	return n < -MAX_ADDEND || n > MAX_ADDEND ? UNKNOWN : (s16)n;
}

/* The word of the own frame that it is in, or NULL. */
static s16 *saved_at(struct state *s, const struct insn *at)
{
	s64 n = (7 - (s64)at->disp) / 8;

	return s->regs[at->base] == OWN_FP && n >= 1 && n <= N_SAVED ? &s->saved[n - 1] : NULL;
}

static s16 load(struct state *s, const struct insn *at)
{
	const s16 *saved = saved_at(s, at);

	if (s->regs[at->base] == OWN_FP && !at->disp && at->is_word)
		return FUNCTION_FP;
	return saved && at->disp % 8 == 0 ? *saved : UNKNOWN;
}

/* The slot has a SMI: the value is its upper half, and the lower one is zero. */
static void store(const struct work *w, struct state *s, const struct insn *at)
{
	s64 upper = 4 - (s64)w->slot_off;
	s16 value = at->from == NO_REG ? UNKNOWN : s->regs[at->from];
	s16 *saved = saved_at(s, at);

	if (saved)
		*saved = at->is_word && at->disp % 8 == 0 ? value : UNKNOWN;
	if (s->regs[at->base] == FUNCTION_FP && at->disp == upper)
		s->in_slot = !value;
	else if (s->regs[at->base] == FUNCTION_FP && at->disp == upper - 4 && at->is_word)
		s->in_slot = false;
}

static void step(const struct work *w, const struct insn *at, struct state *s)
{
	u16 lost = at->op == CALL ? (u16)(~at->live & ~(1 << RBP)) | at->writes : at->writes;
	s16 value = UNKNOWN;

	if (at->op == ADD)
		value = plus(s->regs[at->from], at->disp);
	else if (at->op == LOAD)
		value = load(s, at);
	else if (at->op == STORE)
		store(w, s, at);
	else if (at->op == PUSH_FP && s->regs[RBP] == FUNCTION_FP)
		value = OWN_FP;
	for (int i = 0; i < N_REGS; i++)
		if (lost & 1 << i)
			s->regs[i] = UNKNOWN;
	if (at->op == ADD || at->op == LOAD)
		s->regs[at->to] = value;
	else if (at->op == PUSH_FP)
		s->regs[RSP] = value;
}

/* ---- all of a handler ---- */

static int decode(struct work *w, csh handle, const u8 *code, u32 len)
{
	cs_insn *in = cs_malloc(handle);
	size_t left = len;
	uint64_t off = 0;

	if (!in)
		return -ENOMEM;
	while (left) {
		if (cs_disasm_iter(handle, &code, &left, &off, in)) {
			note(handle, in, len, &w->insns[w->n++]);
		} else {
			code++;
			off++;
			left--;
		}
	}
	cs_free(in, 1);
	return 0;
}

static void find_targets(struct work *w)
{
	for (u32 i = 0; i < w->n; i++) {
		s32 *target = &w->insns[i].target;
		size_t at = *target < 0 ? w->n
					: search_first(w->n, k, w->insns[k].off < (u32)*target);

		*target = at < w->n && w->insns[at].off == (u32)*target ? (s32)at : -1;
	}
}

static u16 live_before(const struct insn *at)
{
	return (u16)((at->live & ~at->writes) | at->reads);
}

static void find_liveness(struct work *w)
{
	bool has_changed = true;

	for (int pass = 0; has_changed && pass < MAX_PASSES; pass++) {
		has_changed = false;
		for (u32 i = w->n; i-- > 0;) {
			struct insn *at = &w->insns[i];
			u16 live = at->target < 0 ? 0 : live_before(&w->insns[at->target]);

			if (!at->ends && i + 1 < w->n)
				live |= live_before(at + 1);
			has_changed |= live != at->live;
			at->live = live;
		}
	}
}

static bool lose(s16 *old, s16 now)
{
	if (*old == now || *old == UNKNOWN)
		return false;
	*old = UNKNOWN;
	return true;
}

static void join(struct work *w, u32 i, const struct state *s)
{
	struct state *old = &w->states[i];
	bool has_changed = !old->is_known;

	if (!old->is_known)
		*old = *s;
	for (int k = 0; k < N_REGS; k++)
		has_changed |= lose(&old->regs[k], s->regs[k]);
	for (int k = 0; k < N_SAVED; k++)
		has_changed |= lose(&old->saved[k], s->saved[k]);
	has_changed |= old->in_slot && !s->in_slot;
	old->in_slot &= s->in_slot;
	if (has_changed)
		w->todo[w->n_todo++] = i;
}

/* How often a state can change. */
#define MAX_CHANGES (1 + N_REGS + N_SAVED + 1)

static bool follow(struct work *w)
{
	struct state s = { .is_known = true };
	u64 left = (u64)w->n * MAX_VISITS;

	for (int i = 0; i < N_REGS; i++)
		s.regs[i] = UNKNOWN;
	for (int i = 0; i < N_SAVED; i++)
		s.saved[i] = UNKNOWN;
	s.regs[R9] = 0;
	s.regs[RBP] = FUNCTION_FP;
	join(w, 0, &s);
	for (; w->n_todo && left; left--) {
		u32 i = w->todo[--w->n_todo];
		const struct insn *at = &w->insns[i];

		s = w->states[i];
		step(w, at, &s);
		if (at->target >= 0)
			join(w, (u32)at->target, &s);
		if (!at->ends && i + 1 < w->n)
			join(w, i + 1, &s);
	}
	return !w->n_todo;
}

/* Just before a dispatch, as far as there is one way, r9 has what it takes to the next. */
static bool has_next(const struct work *w, u32 i)
{
	const struct insn *at = &w->insns[i];
	u32 end = w->n - i > MAX_WAY ? i + MAX_WAY : w->n;

	for (; i + 1 < end && !at->ends && at->target < 0 && !(at->writes & 1 << R9); i++)
		at++;
	return at->is_dispatch;
}

static s8 addend_of(s16 value)
{
	return value <= MAX_ADDEND ? (s8)value : V8_ABSENT;
}

static struct v8_place place_of(const struct work *w, u32 i)
{
	const struct state *s = &w->states[i];
	struct v8_place p = nowhere;

	if (!s->is_known)
		return p;
	p.in_slot = s->in_slot;
	p.in_register = addend_of(s->regs[R9]);
	for (u32 k = 0; k < V8_SAVED_WORDS; k++)
		p.saved[k] = addend_of(s->saved[V8_SAVED_SLOT / 8 - 1 + k]);
	if (has_next(w, i) && !p.in_slot && p.in_register == V8_ABSENT)
		p.in_register = 0;
	return p;
}

int v8_handler_places(const u8 *code, u32 len, u32 slot_off, struct v8_place *places)
{
	struct work w = { .slot_off = slot_off };
	_cleanup_free_ struct insn *insns = w.insns = calloc(len + 1, sizeof(*insns));
	_cleanup_free_ struct state *states = NULL;
	_cleanup_free_ u32 *todo = NULL;
	csh handle;
	int r;

	for (u32 i = 0; i < len; i++)
		places[i] = nowhere;
	if (!insns)
		return -ENOMEM;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle))
		return -ENOTSUP;
	cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	r = decode(&w, handle, code, len);
	cs_close(&handle);
	w.states = states = calloc(w.n + 1, sizeof(*states));
	w.todo = todo = calloc((size_t)w.n * MAX_CHANGES + 1, sizeof(*todo));
	if (r || !states || !todo)
		return -ENOMEM;
	find_targets(&w);
	find_liveness(&w);
	if (!w.n || insns[0].off || !follow(&w))
		return 0;
	for (u32 i = 0; i < w.n; i++)
		for (u32 k = 0; k < insns[i].len; k++)
			places[insns[i].off + k] = place_of(&w, i);
	return 0;
}
