// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_fixture_windows DIR: walks from every instruction of every executed fixture. The
 * templates declare windows, in which a walk may be wrong. Outside of windows a walk must find
 * exactly the calls in progress, and the identity of each function. The windows must not be too
 * large: at their first and last instructions walks are usually wrong, and no caller is in a
 * window.
 *
 *	|<- prologue ->| body, calls |<- epilogue ->|
 *	 ^            ^               ^            ^
 *	 first       last             first      last
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
	u64 n_inside, n_outside, n_wrong_outside, n_unknown_outside, n_callers_inside;
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
	else if (!is_right || !is_known)
		s->wrong_pc = stop->regs.pc;
	s->n_inside += w != NULL;
	s->n_outside += !w;
	s->n_wrong_outside += !w && !is_right;
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
	return c->target.mappings[c->target.n_mappings - 1].info_idx;
}

static void no_walk_of_a_fixture_misses_a_frame_outside_the_expected_windows(void **state)
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
	printf("%s: the case has %llu stops, %llu of them in %u windows; the first stop is a miss "
	       "in "
	       "%u windows, and the last stop is a miss in %u\n",
	       c->name, s.n_inside + s.n_outside, s.n_inside, c->n_windows,
	       n_misses(s.first, c->n_windows), n_misses(s.last, c->n_windows));
	if (s.wrong_pc)
		fail_msg("outside of windows, %llu walks are wrong and %llu have an unknown "
			 "function, for example at %s",
			 s.n_wrong_outside, s.n_unknown_outside,
			 sim_where(c, s.wrong_pc, at, sizeof(at)));
	assert_int_equal(s.n_callers_inside, 0);
	assert_true(s.n_outside > s.n_inside / 2);
	if (has_v8(c)) { /* native functions are identified by their instructions */
		assert_true(n_misses(s.first, c->n_windows) > c->n_windows / 2);
		assert_true(n_misses(s.last, c->n_windows) > c->n_windows / 2);
	}
	sweep_end(&s);
	sim_text_free(&c);
}

/*
 * Negative control: if each window is made one instruction shorter at either end, misses
 * outside of windows are detected.
 */
static void misses_are_detected_at_the_ends_of_windows_that_were_shortened(void **state)
{
	static struct sweep whole, less;
	u32 n_seen[2] = { 0, 0 };

	for (u32 side = 0; side < 2; side++) {
		struct sim_case *c = row_load(*state), *again = row_load(*state);

		sweep_case(c, &whole);
		for (u32 i = 0; i < c->n_windows; i++) {
			struct sim_window *w = &again->windows[i];
			u64 end = w->start_addr + w->len, from = whole.first[i].pc;

			if (side)
				w->len = whole.last[i].pc - w->start_addr;
			else
				w->start_addr = from + 1, w->len = end - from - 1;
		}
		sweep_case(again, &less);
		n_seen[side] = (u32)(less.n_wrong_outside + less.n_unknown_outside);
		sweep_end(&whole);
		sweep_end(&less);
		sim_text_free(&c);
		sim_text_free(&again);
	}
	assert_true(n_seen[0] > 10);
	assert_true(n_seen[1] > 10);
}

int main(int argc, char **argv)
{
	if (argc != 2 || rows_find(argv[1]))
		return 2;
	rows_add("", "", no_walk_of_a_fixture_misses_a_frame_outside_the_expected_windows);
	rows_add("-tiers", ": shortened windows are detected",
		 misses_are_detected_at_the_ends_of_windows_that_were_shortened);
	return rows_run("fixture windows");
}
