/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Converts an input to a walk: its first bytes are architecture, options and registers; the
 * remaining bytes are the memory, which is drawn from them when it is read. The process is that of
 * the bundled stacks.
 */

#include "fuzz.h"

#include "../../fixtures/stacks/layout.h"
#include "../../sim/case/target.h"

/* MethodTables of awaiters, by the offset of the next awaiter. Memory is drawn from these words. */
#define FUZZ_TYPE_8 TAGGED(HEAP_ADDR)
#define FUZZ_TYPE_16 STACK_ADDR
#define FUZZ_TYPE_END JIT(0x8000)
#define FUZZ_HIJACK_ADDR S(6) /* of the hijack fields of the thread */

/**
 * fuzz_target() - read the start of a walk from an input
 * @t:		all zero at the first call; used until the process exits
 * @in:		the input; afterwards only the bytes of the memory are left
 *
 * Return: the input's architecture, an index into arch_rows.
 */
u32 fuzz_target(struct sim_target *t, struct fuzz_input *in);

/**
 * fuzz_awaits() - let walks of the bundled stacks' .NET methods find awaiters and a hijacked thread
 * @t:		process_key is set; only the native engine supports awaits
 */
void fuzz_awaits(struct sim_target *t);

/* Resets the memory. Called before each engine's walk, so that all engines read the same memory. */
void fuzz_memory(struct sim_target *t, const struct fuzz_input *in);

static inline bool fuzz_is_same(const struct uw_sample *a, const struct uw_sample *b)
{
	return a->status == b->status && a->n_frames == b->n_frames &&
	       !memcmp(a->frames, b->frames, a->n_frames * sizeof(a->frames[0]));
}
