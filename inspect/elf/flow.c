/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Functions are known from symbols and calls. Each begins with
 *
 *	cfa = sp + 8, ra at cfa - 8, fp the caller's
 *
 * and every instruction's state follows from one before it. A function from which
 * no way leads to a return is followed no further where it is called; those of
 * other files are not known, so padding behind a call ends the way, too. A jump
 * through a table leads, by assumption, to all of its function that nothing else
 * leads to.
 */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "flow.h"
#include "flow_code.h"

#define MAX_ROUNDS 4 /* of finding functions that don't return */
#define MAX_STEPS 16 /* of following, an instruction and round; trials may repeat */
#define MAX_WORDS (1 << 17) /* of a frame: 1 MiB, what the walk allows */
#define MAX_DATA (4u << 20) /* bytes of data that are searched for addresses */

enum kind {
	UNKNOWN, /* nothing leads here */
	KNOWN,
	TWO_WAYS, /* that don't agree */
	ROOT, /* fp was cleared: a thread begins */
};

struct state {
	u8 kind;
	bool has_height, has_fp;
	bool lost_fp; /* the caller's fp is nowhere */
	s32 height; /* cfa = sp + 8 * (height + 1) */
	s32 fp_words; /* cfa = fp + 8 * fp_words */
	s32 saved; /* the caller's fp is at cfa - 8 * saved; 0: in fp */
};

struct row {
	u32 off;
	struct state state;
};

struct flow {
	u64 addr; /* of the segment */
	struct row *rows;
	u32 n;
};

struct work {
	struct flow_code code;
	struct state *states; /* of each instruction, before it */
	u32 *todo;
	u32 n_todo;
	u32 *tried; /* instructions that got their state in a trial */
	u32 n_tried;
	bool is_trial, is_contradicted;
	u64 steps; /* that are left */
	u64 addr;
	u32 len;
};

static bool same(const struct state *a, const struct state *b)
{
	return a->kind == b->kind && a->has_height == b->has_height && a->has_fp == b->has_fp &&
	       a->lost_fp == b->lost_fp && a->height == b->height && a->fp_words == b->fp_words &&
	       a->saved == b->saved;
}

/* Two ways that agree but for what fp is good for: it is used for something else on one of them. */
static bool agree_without_fp(const struct state *a, const struct state *b)
{
	struct state x = *a, y = *b;

	x.has_fp = y.has_fp = false;
	x.fp_words = y.fp_words = 0;
	return a->kind == KNOWN && a->has_height && same(&x, &y);
}

/* An instruction is put on the list when its state changes: at most three times. */
static void join(struct work *w, const struct flow_insn *to, const struct state *s)
{
	u32 i = (u32)(to - w->code.insns);
	struct state *old = &w->states[i];

	if (same(old, s))
		return;
	if (old->kind == UNKNOWN) {
		*old = *s;
		if (w->is_trial)
			w->tried[w->n_tried++] = i;
	} else if (agree_without_fp(old, s) && (!old->has_fp || !w->is_trial)) {
		if (!old->has_fp)
			return;
		old->has_fp = false;
		old->fp_words = 0;
	} else if (w->is_trial) {
		w->is_contradicted = true;
		return;
	} else if (old->kind == TWO_WAYS || to->is_entry) {
		return;
	} else {
		*old = (struct state){ .kind = TWO_WAYS };
	}
	w->todo[w->n_todo++] = i;
}

static void set_height(struct state *s, s64 bytes)
{
	s->has_height = bytes % 8 == 0 && bytes >= 0 && bytes < 8 * MAX_WORDS;
	s->height = s->has_height ? (s32)(bytes / 8) : 0;
}

static void lose_fp(struct state *s)
{
	s->lost_fp |= !s->saved;
	s->has_fp = false;
	s->fp_words = 0;
}

static void pop_fp(struct state *s)
{
	bool own = s->saved && s->has_height && s->height + 1 == s->saved;

	lose_fp(s);
	if (own)
		s->saved = 0;
}

/* Heights in bytes are those of cfa - 8 - sp. */
static void change(struct state *s, const struct flow_insn *insn)
{
	s64 height = 8 * (s64)s->height;

	switch (insn->op) {
	case FLOW_PUSH_FP:
		if (s->has_height && !s->saved && !s->lost_fp)
			s->saved = (s32)(s->height + 2);
		/* fallthrough */
	case FLOW_PUSH:
		if (s->has_height)
			set_height(s, height + 8);
		return;
	case FLOW_POP_FP:
		pop_fp(s);
		/* fallthrough */
	case FLOW_POP:
		if (s->has_height)
			set_height(s, height - 8);
		return;
	case FLOW_SP_ADD:
		if (s->has_height)
			set_height(s, height - insn->arg);
		return;
	case FLOW_SP_FROM_FP:
		s->has_height = false;
		if (s->has_fp)
			set_height(s, 8 * (s64)s->fp_words - 8 - insn->arg);
		return;
	case FLOW_FP_FROM_SP:
		lose_fp(s);
		s->has_fp = s->has_height && insn->arg % 8 == 0 && insn->arg >= 0 &&
			    insn->arg <= height;
		s->fp_words = s->has_fp ? (s32)(s->height + 1 - insn->arg / 8) : 0;
		return;
	case FLOW_LEAVE:
		set_height(s, s->has_fp ? 8 * (s64)s->fp_words - 8 : -1);
		pop_fp(s);
		if (s->has_height)
			set_height(s, 8 * (s64)s->height - 8);
		return;
	case FLOW_SP_LOST:
		s->has_height = false;
		return;
	case FLOW_FP_ZERO:
		if (!s->saved && !s->lost_fp)
			*s = (struct state){ .kind = ROOT };
		else
			lose_fp(s);
		return;
	case FLOW_FP_LOST:
		lose_fp(s);
		return;
	}
}

/* A function of another file: jmp *GOT, maybe after an endbr64. */
static bool is_stub(const struct work *w, const struct flow_insn *insn)
{
	return insn->is_indirect || (insn->op == FLOW_OTHER &&
				     insn + 1 < w->code.insns + w->code.n && insn[1].is_indirect);
}

/* The next instruction may come after this one. */
static bool goes_on(const struct work *w, const struct flow_insn *insn)
{
	const struct flow_insn *next = insn + 1, *to;

	if (insn->op == FLOW_JUMP || insn->op == FLOW_STOP || insn->op == FLOW_RET ||
	    next == w->code.insns + w->code.n || next->off != insn->off + insn->len)
		return false;
	if (insn->op != FLOW_CALL)
		return true;
	to = insn->arg >= 0 ? flow_code_at(&w->code, (u32)insn->arg) : NULL;
	return to && !is_stub(w, to) ? !to->is_noreturn : next->op != FLOW_NOP;
}

/* The state behind an instruction. */
static struct state after(struct work *w, u32 i)
{
	const struct flow_insn *insn = &w->code.insns[i];
	struct state s = w->states[i];
	bool had_height = s.has_height;

	if (s.kind != KNOWN)
		return s;
	if (insn->op == FLOW_RET)
		w->is_contradicted |= !s.has_height || s.height || s.saved || s.lost_fp;
	change(&s, insn);
	if (!s.has_height)
		s.height = 0;
	if (s.kind == KNOWN && !s.has_height && !s.has_fp) {
		w->is_contradicted |= had_height && insn->op != FLOW_SP_LOST;
		s = (struct state){ .kind = TWO_WAYS };
	}
	return s;
}

static void follow(struct work *w, u32 i)
{
	const struct flow_insn *insn = &w->code.insns[i], *to = NULL;
	struct state s = after(w, i);

	if (insn->arg >= 0 && (insn->op == FLOW_JUMP || insn->op == FLOW_BRANCH))
		to = flow_code_at(&w->code, (u32)insn->arg);
	if (to)
		join(w, to, &s);
	if (goes_on(w, insn))
		join(w, insn + 1, &s);
}

static void follow_all(struct work *w)
{
	for (; w->n_todo && w->steps; w->steps--)
		follow(w, w->todo[--w->n_todo]);
	w->n_todo = 0;
}

/* @is_called: else only its address is taken. */
static void mark(struct work *w, u64 off, bool is_called)
{
	struct flow_insn *insn = off < w->len ? flow_code_at(&w->code, (u32)off) : NULL;

	if (insn && is_called)
		insn->is_entry = true;
	else if (insn)
		insn->may_be_entry = true;
}

static int mark_symbol(const struct elf_symbol *s, void *data)
{
	struct work *w = data;

	/* NAME.cold is a part of NAME that is jumped to */
	if (s->defined && (s->type == STT_FUNC || s->type == STT_GNU_IFUNC) &&
	    !strstr(s->name, ".cold"))
		mark(w, s->addr - w->addr, true);
	return 0;
}

/* Addresses in data: pointers, and the addends of relocations. */
static int mark_data(struct work *w, struct elf_file *f)
{
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);
	u64 words[512], left = MAX_DATA;

	for (; n; n--, s++) {
		for (u64 at = 0; !s->is_exec && left && at + 8 <= s->file_len;
		     at += sizeof(words)) {
			u64 len = s->file_len - at;

			len = (len < sizeof(words) ? len : sizeof(words)) & ~7ull;
			if (elf_file_read_addr(f, s->addr + at, words, len) < 0)
				return -EIO;
			for (u64 i = 0; i < len / 8; i++)
				mark(w, words[i] - w->addr, false);
			left = left > len ? left - len : 0;
		}
	}
	return 0;
}

static int mark_all(struct work *w, struct elf_file *f, u64 entry)
{
	int r = elf_file_each_symbol(f, mark_symbol, w);

	if (r < 0 && r != -ENOEXEC)
		return r;
	mark(w, entry - w->addr, true);
	for (u32 i = 0; i < w->code.n; i++) {
		const struct flow_insn *insn = &w->code.insns[i];

		if (insn->is_address || (insn->op == FLOW_CALL && insn->arg >= 0))
			mark(w, (u32)insn->arg, insn->op == FLOW_CALL);
	}
	return mark_data(w, f);
}

static const struct state start = { .kind = KNOWN, .has_height = true };

/* Follow from an instruction that nothing leads to; nothing is changed by a contradiction. */
static bool try(struct work *w, u32 i, const struct state *s)
{
	w->is_trial = true;
	w->is_contradicted = false;
	w->n_tried = 0;
	join(w, &w->code.insns[i], s);
	for (; w->n_todo && w->steps && !w->is_contradicted; w->steps--)
		follow(w, w->todo[--w->n_todo]);
	w->is_contradicted |= w->n_todo > 0;
	w->n_todo = 0;
	for (u32 k = 0; w->is_contradicted && k < w->n_tried; k++)
		w->states[w->tried[k]] = (struct state){ .kind = UNKNOWN };
	w->is_trial = false;
	return !w->is_contradicted;
}

/* @first to @end: the instructions of a function, and of those behind it that nobody calls. */
static void follow_rest(struct work *w, u32 first, u32 end)
{
	const struct state *at_jump = NULL;

	for (u32 i = first; i < end; i++) {
		const struct flow_insn *insn = &w->code.insns[i];

		if (w->states[i].kind == KNOWN && insn->is_indirect)
			at_jump = &w->states[i];
		if (w->states[i].kind != UNKNOWN || insn->op == FLOW_NOP)
			continue;
		if (!(at_jump && try(w, i, at_jump)) && insn->may_be_entry)
			w->code.insns[i].is_entry = try(w, i, &start);
	}
}

static u32 function_end(const struct work *w, u32 first)
{
	u32 end = first + 1;

	while (end < w->code.n && !w->code.insns[end].is_entry)
		end++;
	return end;
}

static void follow_functions(struct work *w)
{
	memset(w->states, 0, w->code.n * sizeof(*w->states));
	w->steps = MAX_STEPS * (u64)w->code.n;
	for (u32 i = 0; i < w->code.n; i++)
		if (w->code.insns[i].is_entry)
			join(w, &w->code.insns[i], &start);
	follow_all(w);
	for (u32 i = 0, end; i < w->code.n; i = end) {
		end = function_end(w, i);
		follow_rest(w, i, end);
	}
}

/* Whether an instruction of a function leaves it, by a return or for somewhere else. */
static bool leaves(const struct work *w, u32 i, u32 first, u32 end)
{
	const struct flow_insn *insn = &w->code.insns[i];

	if (w->states[i].kind == UNKNOWN)
		return false;
	if (insn->op != FLOW_JUMP && insn->op != FLOW_BRANCH)
		return insn->op == FLOW_RET || (i + 1 == end && goes_on(w, insn));
	return insn->is_indirect || insn->arg < (s32)w->code.insns[first].off ||
	       (end < w->code.n && insn->arg >= (s32)w->code.insns[end].off);
}

/* Whether there are functions that were not known not to return. */
static bool find_noreturn(struct work *w)
{
	bool found = false;

	for (u32 i = 0, end; i < w->code.n; i = end) {
		bool returns = false;

		end = function_end(w, i);
		for (u32 k = i; !returns && k < end; k++)
			returns = leaves(w, k, i, end);
		found |= w->code.insns[i].is_noreturn == returns;
		w->code.insns[i].is_noreturn = !returns;
	}
	return found;
}

/* A row where the state changes; @rows NULL: count only. */
static u32 make_rows(const struct work *w, struct row *rows)
{
	static const struct state none;
	struct state last = none;
	u32 end = 0, n = 0;

	for (u32 i = 0; i <= w->code.n; i++) {
		const struct flow_insn *insn = i < w->code.n ? &w->code.insns[i] : NULL;
		u32 off = insn ? insn->off : w->len;

		if (off > end && !same(&last, &none)) { /* what is between is no instruction */
			if (rows)
				rows[n] = (struct row){ end, none };
			n++;
			last = none;
		}
		if (!insn)
			break;
		if (!same(&last, &w->states[i])) {
			if (rows)
				rows[n] = (struct row){ off, w->states[i] };
			n++;
			last = w->states[i];
		}
		end = off + insn->len;
	}
	return n;
}

static int keep_rows(const struct work *w, struct flow *flow)
{
	flow->n = make_rows(w, NULL);
	flow->rows = calloc(flow->n + 1, sizeof(*flow->rows));
	if (!flow->rows)
		return -ENOMEM;
	make_rows(w, flow->rows);
	flow->rows[flow->n].off = w->len;
	return 0;
}

static int analyse(struct work *w, struct elf_file *f, u64 entry, struct flow *flow)
{
	int r;

	w->states = calloc(w->code.n + 1, sizeof(*w->states));
	w->todo = calloc(3 * (size_t)w->code.n + 2, sizeof(*w->todo));
	w->tried = calloc(w->code.n + 1, sizeof(*w->tried));
	if (!w->states || !w->todo || !w->tried)
		return -ENOMEM;
	r = mark_all(w, f, entry);
	if (r < 0)
		return r;
	for (u32 round = 0; round < MAX_ROUNDS; round++) {
		follow_functions(w);
		if (!find_noreturn(w))
			break;
	}
	return keep_rows(w, flow);
}

int flow_new(struct flow **flow, struct elf_file *f, const struct elf_segment *s, u64 entry)
{
	_cleanup_(flow_free) struct flow *made = NULL;
	_cleanup_free_ u8 *bytes = NULL;
	struct work w = { .addr = s->addr, .len = (u32)s->file_len };
	int r;

	if (s->file_len > FLOW_MAX_TEXT)
		return -EFBIG;
	bytes = malloc(w.len + 1);
	made = calloc(1, sizeof(*made));
	if (!bytes || !made)
		return -ENOMEM;
	made->addr = s->addr;
	r = elf_file_read_addr(f, s->addr, bytes, w.len);
	if (!r)
		r = flow_code_init(&w.code, bytes, w.len, s->addr);
	if (!r)
		r = analyse(&w, f, entry, made);
	flow_code_deinit(&w.code);
	free(w.states);
	free(w.todo);
	free(w.tried);
	if (r < 0)
		return r;
	*flow = TAKE_PTR(made);
	return 0;
}

void flow_free(struct flow **flow)
{
	struct flow *f = *flow;

	*flow = NULL;
	if (!f)
		return;
	free(f->rows);
	free(f);
}

static bool rule_from(const struct state *s, struct uw_rule *rule)
{
	*rule = (struct uw_rule){ .cfa = UW_CFA_ROOT };
	if (s->kind == ROOT)
		return true;
	if (s->kind != KNOWN)
		return false;
	*rule = (struct uw_rule){
		.cfa = s->has_height ? UW_CFA_SP : UW_CFA_FP,
		.cfa_off = s->has_height ? 8 * (s->height + 1) : 8 * s->fp_words,
		.ra = UW_SAVED_CFA,
		.ra_off = -8,
		.fp = s->saved	   ? UW_SAVED_CFA
		      : s->lost_fp ? UW_SAVED_LOST
				   : UW_SAVED_SAME,
		.fp_off = -8 * s->saved,
	};
	return true;
}

void flow_rules(const struct flow *flow, u64 start, u64 end,
		void (*fn)(const struct uw_rule *rule, u64 start, u64 end, void *data), void *data)
{
	u32 low = 0, high = flow->n;
	struct uw_rule rule;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (flow->addr + flow->rows[middle + 1].off <= start)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < flow->n && flow->addr + flow->rows[low].off < end; low++)
		if (rule_from(&flow->rows[low].state, &rule))
			fn(&rule, flow->addr + flow->rows[low].off,
			   flow->addr + flow->rows[low + 1].off, data);
}
