// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_fixture_windows DIR: walks from every instruction of every executed fixture. Each walk must
 * find exactly the calls in progress; outside of windows, it must also identify each function. The
 * templates declare the windows, in which a function has no frame, or only a part of it:
 *
 *	|<- prologue ->| body, calls |<- epilogue ->|
 *	 ^            ^               ^            ^
 *	 first       last             first      last
 *
 * Without unwind rows, walks are usually wrong at the first and last instructions of windows. This
 * shows that windows are not too large, and that the test notices missing rows.
 */

#include "../../inspect/util/cleanup.h"
#include "../../sim/case/where.h"
#include "../../sim/cpu/cpu.h"
#include "fixture_rows.h"

#include <stdlib.h>

struct edge {
	u64 pc; /* pc of an instruction */
	bool is_miss;
};

struct sweep {
	const struct sim_case *c;
	struct sim_target target;
	struct uw_state u;
	struct edge *first, *last; /* for each window, its first and last executed instruction */
	u64 n_inside, n_outside, n_wrong, n_unknown_outside, n_callers_inside;
	u64 wrong_pc;
};

static const struct sim_window *window_at(const struct sim_case *c, u64 pc)
{
	for (u32 i = 0; i < c->n_windows; i++)
		if (pc - c->windows[i].start_addr < c->windows[i].len)
			return &c->windows[i];
	return NULL;
}

static bool is_exact(const struct uw_sample *s, const struct sim_truth *truth)
{
	for (u32 i = 0; i < truth->n && i < s->n_frames; i++)
		if (s->frames[i].pc != truth->pcs[i])
			return false;
	return s->n_frames == truth->n;
}

static bool all_are_known(const struct uw_sample *s)
{
	for (u32 i = 0; i < s->n_frames; i++)
		if (s->frames[i].status != UW_OK)
			return false;
	return true;
}

static void note_edges(struct sweep *s, const struct sim_window *w, u64 pc, bool is_miss)
{
	struct edge *first = &s->first[w - s->c->windows], *last = &s->last[w - s->c->windows];

	if (!first->pc || pc < first->pc)
		*first = (struct edge){ pc, is_miss };
	if (pc > last->pc)
		*last = (struct edge){ pc, is_miss };
}

/*
 * Return: whether this is the shared prologue that baseline code calls before it has a frame,
 *         i.e. in a window.
 */
static bool may_be_called_in_window(const struct sim_case *c, u64 pc)
{
	for (u32 i = 0; i < c->n_functions; i++)
		if (pc - c->functions[i].start_addr < c->functions[i].len)
			return !strcmp(c->functions[i].name, "BaselineOutOfLinePrologue");
	return false;
}

static int at_stop(void *ctx, const struct sim_stop *stop)
{
	struct sweep *s = ctx;
	const struct sim_window *w = window_at(s->c, stop->regs.pc);
	bool is_right, is_known;

	s->target.regs = stop->regs;
	s->c->arch->walk(&s->u, &s->target);
	is_right = is_exact(&s->u.sample, &stop->truth);
	is_known = all_are_known(&s->u.sample);
	if (w)
		note_edges(s, w, stop->regs.pc, !is_right || !is_known);
	if (!is_right || (!w && !is_known))
		s->wrong_pc = stop->regs.pc;
	s->n_inside += w != NULL;
	s->n_outside += !w;
	s->n_wrong += !is_right;
	s->n_unknown_outside += !w && !is_known;
	for (u32 i = 1; i < stop->truth.n; i++)
		s->n_callers_inside += window_at(s->c, stop->truth.pcs[i] - 1) &&
				       !(i == 1 && may_be_called_in_window(s->c, stop->regs.pc));
	return 0;
}

static void sweep_case(const struct sim_case *c, struct sweep *s)
{
	struct sim_cpu_run run = { .at_stop = at_stop, .ctx = s };
	struct sim_error error = { "" };

	*s = (struct sweep){ .c = c, .target = c->target };
	s->first = calloc(c->n_windows, sizeof(*s->first));
	s->last = calloc(c->n_windows, sizeof(*s->last));
	if (!s->first || !s->last || sim_cpu_run(c, &run, &error))
		fail_msg("%s", error.text);
}

static void sweep_end(struct sweep *s)
{
	free(s->first);
	free(s->last);
}

static u32 n_misses(const struct edge *edges, u32 n)
{
	u32 n_found = 0;

	for (u32 i = 0; i < n; i++)
		n_found += edges[i].is_miss;
	return n_found;
}

/* Checks that windows are sorted, disjoint, and each within one function. */
static void check_form(const struct sim_case *c)
{
	const struct sim_window *w = c->windows;

	for (u32 i = 1; i < c->n_windows; i++)
		assert_true(w[i].start_addr >= w[i - 1].start_addr + w[i - 1].len);
	for (u32 i = 0; i < c->n_windows; i++) {
		u32 f = 0;

		assert_true(w[i].len);
		while (f < c->n_functions &&
		       w[i].start_addr - c->functions[f].start_addr >= c->functions[f].len)
			f++;
		assert_true(f < c->n_functions);
		assert_true(w[i].start_addr + w[i].len <=
			    c->functions[f].start_addr + c->functions[f].len);
	}
}

static bool has_v8(const struct sim_case *c)
{
	return c->target.mappings[c->target.n_mappings - 1].kind == UW_MAP_V8_JIT &&
	       c->target.mappings[c->target.n_mappings - 1].info_idx;
}

static void every_walk_of_an_executed_fixture_is_exact(void **state)
{
	struct sim_case *c = row_load(*state);
	static struct sweep s;
	char at[128];

	if (!c || !c->is_executed) {
		sim_text_free(&c);
		return;
	}
	check_form(c);
	sweep_case(c, &s);
	if (s.wrong_pc)
		fail_msg("%llu walks are wrong, and %llu walks outside of windows have an unknown "
			 "function, for example at %s",
			 s.n_wrong, s.n_unknown_outside, sim_where(c, s.wrong_pc, at, sizeof(at)));
	assert_int_equal(s.n_callers_inside, 0);
	assert_true(s.n_outside > s.n_inside / 2);
	sweep_end(&s);
	sim_text_free(&c);
}

/* Negative control. Native functions are identified by their instructions, even without rows. */
static void walks_without_rows_miss_at_the_edges_of_windows(void **state)
{
	struct sim_case *c = row_load(*state);
	static struct sweep s;
	u32 n_first, n_last;

	c->target.n_row_pages = 0;
	sweep_case(c, &s);
	n_first = n_misses(s.first, c->n_windows);
	n_last = n_misses(s.last, c->n_windows);
	printf("%s without rows: %llu stops, %llu of them in %u windows; walks miss at the first "
	       "instruction of %u windows, and at the last instruction of %u\n",
	       c->name, s.n_inside + s.n_outside, s.n_inside, c->n_windows, n_first, n_last);
	assert_true(s.n_wrong > 100);
	if (has_v8(c)) {
		assert_true(n_first > c->n_windows / 2);
		assert_true(n_last > c->n_windows / 2);
	}
	sweep_end(&s);
	sim_text_free(&c);
}

int main(int argc, char **argv)
{
	if (argc != 2 || rows_find(argv[1]))
		return 2;
	rows_add("", "", every_walk_of_an_executed_fixture_is_exact);
	rows_add("node", ": without rows", walks_without_rows_miss_at_the_edges_of_windows);
	return rows_run("fixture windows");
}
