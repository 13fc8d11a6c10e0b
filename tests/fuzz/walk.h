/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * How an input becomes a walk: architecture, options, registers; what is left is the
 * memory, drawn where it is read. The process is that of the bundled stacks.
 */

#include "fuzz.h"

#include "../../sim/case/target.h"

/**
 * fuzz_target() - take the start of a walk from an input
 * @t:		all zero the first time; for the process's whole life
 * @in:		left at what the memory is made of
 *
 * Return: which architecture the input is for, an index into arch_rows.
 */
u32 fuzz_target(struct sim_target *t, struct fuzz_input *in);

/**
 * fuzz_awaits() - let walks follow who awaits methods of .NET that the bundled stacks have
 * @t:		process_key is set; no other engine than the native one knows of awaits
 *
 * What waits is of one of three types, whose MethodTables are words that memory is drawn from.
 */
void fuzz_awaits(struct sim_target *t);

/* The memory anew, for each engine that is to see the same. */
void fuzz_memory(struct sim_target *t, const struct fuzz_input *in);

static inline bool fuzz_is_same(const struct uw_sample *a, const struct uw_sample *b)
{
	return a->status == b->status && a->n_frames == b->n_frames &&
	       !memcmp(a->frames, b->frames, a->n_frames * sizeof(a->frames[0]));
}
