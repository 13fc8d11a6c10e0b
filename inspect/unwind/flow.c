/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Functions are found by symbols and calls. Each function starts in the state of a first
 * instruction (flow_state.h); the state before every other instruction follows from the
 * instructions before it in the control flow. The control flow ends after a call of a function that
 * never returns. Whether a function of another file returns is not known, so the control flow also
 * ends after a call that is followed by padding. A jump through a table is assumed to reach every
 * part of its function that nothing else reaches. In a gap between functions that have call frame
 * information, there are no symbols, so after each instruction that ends a function, the start of
 * another function is tried.
 */

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "data_flow.h"
#include "flow.h"
#include "flow_code.h"
#include "flow_state.h"

#define MAX_ROUNDS 4 /* number of searches for functions that do not return */
#define MAX_STEPS 16 /* steps per instruction and search; trials may repeat steps */
#define MAX_DATA (4u << 20) /* bytes of data that are searched for addresses */

struct row {
	u32 off;
	struct flow_state state;
};

struct flow {
	u64 addr; /* address of the segment */
	struct row *rows;
	u32 n;
};

struct work {
	struct flow_code code;
	struct data_flow way;
	const struct flow_state *states; /* the state before each instruction */
	u64 addr;
	u32 len;
	bool is_gap;
	const struct flow_state *start; /* the state at a function's first instruction */
};

static enum data_flow_join join(const void *user, u32 i, void *old, const void *now,
				enum data_flow_when when)
{
	const struct work *w = user;
	struct flow_state *s = old, both = flow_both(s, now);
	bool agree = flow_agree(s, now);

	if (flow_same(s, now) || (agree && flow_same(s, &both)))
		return DATA_FLOW_SAME;
	if (agree && when != DATA_FLOW_KNOWN) {
		*s = both;
		return DATA_FLOW_CHANGED;
	}
	if (when != DATA_FLOW_SURE)
		return DATA_FLOW_CONTRADICTED;
	if (s->kind == FLOW_TWO_WAYS || w->code.insns[i].is_entry)
		return DATA_FLOW_SAME;
	*s = (struct flow_state){ .kind = FLOW_TWO_WAYS };
	return DATA_FLOW_CHANGED;
}

/* Matches a stub for a function of another file: jmp *GOT, maybe after an endbr64. */
static bool is_stub(const struct work *w, const struct flow_insn *insn)
{
	return insn->is_indirect || (insn->op == FLOW_OTHER &&
				     insn + 1 < w->code.insns + w->code.n && insn[1].is_indirect);
}

/* Whether the next instruction may follow this one. */
static bool goes_on(const struct work *w, u32 i)
{
	const struct flow_insn *insn = &w->code.insns[i], *to;

	if (insn->op != FLOW_CALL || !flow_code_goes_on(&w->code, i))
		return flow_code_goes_on(&w->code, i);
	to = insn->arg >= 0 ? flow_code_at(&w->code, (u32)insn->arg) : NULL;
	return to && !is_stub(w, to) ? !to->is_noreturn : insn[1].op != FLOW_NOP;
}

/*
 * Applies an instruction to the state. Returns false, a contradiction, if sp becomes unknown
 * without being set from an unknown value, or if a function cannot return in this state.
 */
static bool transfer(const void *user, u32 i, void *state)
{
	const struct work *w = user;
	const struct flow_insn *insn = &w->code.insns[i];
	struct flow_state *s = state;
	bool had_height = s->has_height, ok = true;

	if (s->kind != FLOW_KNOWN)
		return true;
	if (insn->op == FLOW_RET)
		ok = flow_may_return(s, w->start);
	flow_change(s, insn);
	return ok && (s->kind != FLOW_TWO_WAYS || !had_height || insn->op == FLOW_SP_LOST);
}

static u32 successors(const void *user, u32 i, u32 next[2])
{
	const struct work *w = user;

	return goes_on(w, i) || w->code.insns[i].op != FLOW_CALL
		       ? flow_code_successors(&w->code, i, next)
		       : 0;
}

static const struct data_flow_ops ops = {
	.state_size = sizeof(struct flow_state),
	.transfer = transfer,
	.successors = successors,
	.join = join,
};

/* Marks the start of a function. @is_called is false if only the function's address is taken. */
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

	/* NAME.cold is not a function, but a part of NAME that a jump reaches */
	if (s->defined && (s->type == STT_FUNC || s->type == STT_GNU_IFUNC) &&
	    !strstr(s->name, ".cold"))
		mark(w, s->addr - w->addr, true);
	return 0;
}

/* Marks addresses in data: pointers, and the addends of relocations. */
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

/* Whether the instruction before @i ends a function. */
static bool is_behind_end(const struct work *w, u32 i)
{
	u8 op = i ? w->code.insns[i - 1].op : FLOW_STOP;

	return op == FLOW_RET || op == FLOW_JUMP || op == FLOW_STOP || op == FLOW_NOP;
}

static void mark_ends(struct work *w)
{
	for (u32 i = 0; i < w->code.n; i++)
		w->code.insns[i].may_be_entry |= is_behind_end(w, i);
}

static int mark_all(struct work *w, struct elf_file *f, u64 entry)
{
	int err = w->is_gap ? 0 : elf_file_each_symbol(f, mark_symbol, w);

	if (err < 0 && err != -ENOEXEC)
		return err;
	mark(w, entry - w->addr, true);
	if (w->is_gap)
		mark_ends(w);
	for (u32 i = 0; i < w->code.n; i++) {
		const struct flow_insn *insn = &w->code.insns[i];

		if (insn->is_address || (insn->op == FLOW_CALL && insn->arg >= 0))
			mark(w, (u32)insn->arg, insn->op == FLOW_CALL);
	}
	return w->is_gap ? 0 : mark_data(w, f);
}

/*
 * Tries states for the unreached instructions in [@first, @end), which are the instructions of a
 * function and of the uncalled functions after it.
 */
static void follow_rest(struct work *w, u32 first, u32 end)
{
	const struct flow_state *at_jump = NULL;

	for (u32 i = first; i < end; i++) {
		const struct flow_insn *insn = &w->code.insns[i];

		if (w->states[i].kind == FLOW_KNOWN && insn->is_indirect)
			at_jump = &w->states[i];
		if (w->states[i].kind != FLOW_UNKNOWN || insn->op == FLOW_NOP)
			continue;
		if (!(at_jump && data_flow_try(&w->way, i, at_jump)) && insn->may_be_entry)
			w->code.insns[i].is_entry = data_flow_try(&w->way, i, w->start);
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
	data_flow_clear(&w->way);
	w->way.steps = MAX_STEPS * (u64)w->code.n;
	for (u32 i = 0; i < w->code.n; i++)
		if (w->code.insns[i].is_entry)
			data_flow_put(&w->way, i, w->start);
	data_flow_follow(&w->way);
	for (u32 i = 0, end; i < w->code.n; i = end) {
		end = function_end(w, i);
		follow_rest(w, i, end);
	}
}

/* Whether an instruction leaves its function, by a return or a jump. */
static bool leaves(const struct work *w, u32 i, u32 first, u32 end)
{
	const struct flow_insn *insn = &w->code.insns[i];

	if (w->states[i].kind == FLOW_UNKNOWN)
		return false;
	if (insn->op != FLOW_JUMP && insn->op != FLOW_BRANCH)
		return insn->op == FLOW_RET || (i + 1 == end && goes_on(w, i));
	return insn->is_indirect || insn->arg < (s32)w->code.insns[first].off ||
	       (end < w->code.n && insn->arg >= (s32)w->code.insns[end].off);
}

/* Finds functions that do not return. Returns false if there are no new ones. */
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

/*
 * Makes a row for each change of state; only counts them if @rows is NULL. Returns the number of
 * rows.
 */
static u32 make_rows(const struct work *w, struct row *rows)
{
	static const struct flow_state none;
	struct flow_state last = none;
	u32 end = 0, n = 0;

	for (u32 i = 0; i <= w->code.n; i++) {
		const struct flow_insn *insn = i < w->code.n ? &w->code.insns[i] : NULL;
		u32 off = insn ? insn->off : w->len;

		if (off > end && !flow_same(&last, &none)) { /* bytes that are not code */
			if (rows)
				rows[n] = (struct row){ end, none };
			n++;
			last = none;
		}
		if (!insn)
			break;
		if (!flow_same(&last, &w->states[i])) {
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
	int err = data_flow_init(&w->way, &ops, w, w->code.n);

	w->states = w->way.states;
	if (!err)
		err = mark_all(w, f, entry);
	if (err < 0)
		return err;
	for (u32 round = 0; round < MAX_ROUNDS; round++) {
		follow_functions(w);
		if (!find_noreturn(w))
			break;
	}
	return keep_rows(w, flow);
}

static int decode(struct work *w, const u8 *bytes, struct elf_file *f)
{
	bool is_arm64 = elf_file_machine(f) == EM_AARCH64;

	w->start = is_arm64 ? &flow_start_arm64 : &flow_start_x86_64;
	return is_arm64 ? flow_code_arm64(&w->code, bytes, w->len, w->addr)
			: flow_code_x86_64(&w->code, bytes, w->len, w->addr);
}

int flow_new(struct flow **flow, struct elf_file *f, const struct flow_span *span)
{
	_cleanup_(flow_free) struct flow *made = NULL;
	_cleanup_free_ u8 *bytes = NULL;
	struct work w = { .addr = span->addr, .len = (u32)span->len, .is_gap = span->is_gap };
	int err;

	if (span->len > FLOW_MAX_TEXT)
		return -EFBIG;
	bytes = malloc(w.len + 1);
	made = calloc(1, sizeof(*made));
	if (!bytes || !made)
		return -ENOMEM;
	made->addr = span->addr;
	err = elf_file_read_addr(f, span->addr, bytes, w.len);
	if (!err)
		err = decode(&w, bytes, f);
	if (!err)
		err = analyse(&w, f, span->entry, made);
	flow_code_deinit(&w.code);
	data_flow_deinit(&w.way);
	if (err < 0)
		return err;
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

void flow_rules(const struct flow *flow, u64 start, u64 end, rule_fn *fn, void *data)
{
	size_t at = search_first(flow->n, i, flow->addr + flow->rows[i + 1].off <= start);
	struct uw_rule rule;

	for (; at < flow->n && flow->addr + flow->rows[at].off < end; at++)
		if (flow_rule(&flow->rows[at].state, &rule))
			fn(&rule, flow->addr + flow->rows[at].off,
			   flow->addr + flow->rows[at + 1].off, data);
}
