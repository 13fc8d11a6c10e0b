/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Brings rows into the pool: what a walk missed first, with the pages beside it, then
 * what it missed of V8's builtins, and in what time is left whole files, those of which
 * something was missed first, the shortest first, as long as nothing has to leave the
 * pool for it.
 *
 * Time: a page costs about 0.04 ms (the C library 13 ms, Node.js 24 0.35 s), one of V8's
 * builtins 1 ms. Without those a walk guesses nothing, so they come a few at a time, of
 * time of their own, and never in the background. Misses of either kind may take
 * ROW_MISS_BURST_NS, half of which the pages beside them may use up, and then a twentieth
 * of a CPU, the background ROW_IDLE_BURST_NS and then a hundredth; of one file it brings
 * ROW_IDLE_PAGES at most.
 */

#include "row_files.h"
#include "row_pool.h"

#define ROW_MISS_BURST_NS 1000000000ll
#define ROW_IDLE_BURST_NS 1000000000ll

struct row_filler;

struct row_counts {
	struct row_pool_counts pool;
	u64 refetched; /* pages that came again after they had been forgotten */
	u64 failed; /* pages whose file could not be read */
	u64 rules, rules_refused; /* that walks can find; that found no room */
};

/**
 * row_filler_new() - nothing is loaded yet
 * @memory:	of the walk's tables
 * @source:	gives a module's file; copied
 */
int row_filler_new(struct row_filler **f, const struct row_memory *memory,
		   const struct row_source *source);
void row_filler_free(struct row_filler **f);

/* A walk came to a page without rows. */
void row_filler_miss(struct row_filler *f, u32 module, u32 page);

/* A page that a walk will probably come to. Return: 1, 0 when it is there or wanted already. */
u32 row_filler_prefetch(struct row_filler *f, u32 module, u32 page);

/**
 * row_filler_image() - a file has a ReadyToRun image in it
 * row_filler_has_image() - is that known of its code at @page?
 * @image:	where; copied
 */
void row_filler_image(struct row_filler *f, u32 module, const struct row_image *image);
bool row_filler_has_image(struct row_filler *f, u32 module, u32 page);

/* A file whose rows will be wanted. */
void row_filler_expect(struct row_filler *f, u32 module);

/**
 * row_filler_misses() - load what was missed
 * row_filler_idle() - load what may be missed next
 * @until_ns:	CLOCK_MONOTONIC: no page is begun after this
 *
 * Work that does not fit into the time is left for the next call.
 *
 * Return (idle): is there anything left that can be done now?
 */
void row_filler_misses(struct row_filler *f, u64 until_ns);
bool row_filler_idle(struct row_filler *f, u64 until_ns);

/* As row_pool_rule(). */
const struct uw_rule *row_filler_rule(const struct row_filler *f, u32 module, u64 file_off);

struct row_counts row_filler_counts(const struct row_filler *f);
