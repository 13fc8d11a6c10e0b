/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Definitions shared by the tests of walks: both architectures, and the comparison of results. */

#include "../check.h"

#include "../../fixtures/stacks/layout.h"
#include "../../sim/case/stack.h"
#include "../../sim/mem/image.h"

#include <stdlib.h>
#include <string.h>

struct arch_row {
	const struct sim_arch *sim;
	u32 bit; /* enum stack_archs */
};

static const struct arch_row arch_rows[] = {
	{ &sim_arch_x86_64, STACK_X86_64 },
	{ &sim_arch_arm64, STACK_ARM64 },
};
#define N_ARCHS (sizeof(arch_rows) / sizeof(arch_rows[0]))

/*
 * Returns a state for a walk, filled with garbage, so that a walk that depends on the initial
 * contents fails a test.
 */
static inline struct uw_state *fresh_state(void)
{
	static struct uw_state u;

	memset(&u, 0xa5, sizeof(u));
	return &u;
}

static inline void target_of(const struct stack *stack, const struct arch_row *arch,
			     struct sim_target *out)
{
	assert_int_equal(sim_stack_target(stack, arch->bit, out), 0);
}

/**
 * frames_differ() - find the first frame in which two lists differ
 *
 * Return: the index of that frame; n_a if the lists are equal.
 */
static inline u32 frames_differ(const struct uw_frame *a, u32 n_a, const struct uw_frame *b,
				u32 n_b)
{
	u32 i = 0;

	while (i < n_a && i < n_b && !memcmp(&a[i], &b[i], sizeof(*a)))
		i++;
	return i == n_a && n_a != n_b ? n_b : i;
}

static inline void print_frame(const char *what, const struct uw_frame *f)
{
	print_error("  %s pc %#llx a %#llx b %#llx aux %#x %s (%s) flags %u\n", what, f->pc, f->a,
		    f->b, f->aux, sim_kind_words(f->kind), sim_status_words(f->status), f->flags);
}

/* Does the sample have the stack's expected result? Prints the difference if @verbose. */
static inline bool sample_is(const struct stack *stack, const struct uw_sample *s, bool verbose)
{
	u32 at = frames_differ(s->frames, s->n_frames, stack->frames, stack->n_frames);
	bool frames_ok = at == s->n_frames && s->n_frames == stack->n_frames;

	if (frames_ok && s->status == stack->status)
		return true;
	if (!verbose)
		return false;
	print_error("%s: found %u frames, %s; expected %u, %s\n", stack->name, s->n_frames,
		    sim_status_words(s->status), stack->n_frames, sim_status_words(stack->status));
	if (!frames_ok && at < s->n_frames)
		print_frame("found   ", &s->frames[at]);
	if (!frames_ok && at < stack->n_frames)
		print_frame("expected", &stack->frames[at]);
	return false;
}
