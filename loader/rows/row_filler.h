/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Loads rows into the pool, in this order:
 *
 *	1. pages that a walk missed, then the pages before and after them
 *	2. pages of V8's builtins that a walk missed
 *	3. in the background, whole files while the pool has free room: files with misses
 *	   first, then the shortest files, and at most ROW_IDLE_PAGES of each file
 *
 * Time: loading a page takes about 0.04 ms (all pages of the C library take 13 ms, those of Node.js
 * 24 take 0.35 s); loading a page of V8's builtins takes 1 ms. A walk without rows of builtins
 * makes no guesses, so builtins are loaded a few at a time, have their own time budget, and are
 * never loaded in the background. Loading missed pages of either kind takes at most
 * ROW_MISS_BURST_NS of CPU time, and after that a twentieth of a CPU. At most half of this time is
 * spent on the neighbours of missed pages. Background loading takes at most ROW_IDLE_BURST_NS of
 * CPU time, and after that a hundredth of a CPU.
 */

#include "row_files.h"
#include "row_pool.h"

#define ROW_MISS_BURST_NS 1000000000ll
#define ROW_IDLE_BURST_NS 1000000000ll

struct row_filler;

struct row_counts {
	struct row_pool_counts pool;
	u64 refetched; /* pages loaded again after they were evicted */
	u64 failed; /* pages whose file could not be read */
	u64 rules, rules_refused; /* rules in the table; rules that did not fit into the table */
};

/**
 * row_filler_new() - create a filler with an empty pool
 * @memory:	the walk's tables
 * @source:	callbacks that get a module's file; copied
 */
int row_filler_new(struct row_filler **f, const struct row_memory *memory,
		   const struct row_source *source);
void row_filler_free(struct row_filler **f);

/* Reports that a walk reached a page without rows. */
void row_filler_miss(struct row_filler *f, u32 module, u32 page);

/*
 * Requests a page that a walk will probably reach. Return: 1, or 0 if it is already loaded or
 * requested.
 */
u32 row_filler_prefetch(struct row_filler *f, u32 module, u32 page);

/**
 * row_filler_image() - add a ReadyToRun image inside a file
 * row_filler_has_image() - return whether an image with code at @page was added
 * @image:	location of the image; copied
 */
void row_filler_image(struct row_filler *f, u32 module, const struct row_image *image);
bool row_filler_has_image(struct row_filler *f, u32 module, u32 page);

/* Adds a file whose rows will probably be needed. */
void row_filler_expect(struct row_filler *f, u32 module);

/**
 * row_filler_misses() - load missed pages
 * row_filler_idle() - load pages that may be missed next
 * @until_ns:	CLOCK_MONOTONIC; after this time, no further page is loaded
 *
 * Work that does not fit into the time is left for the next call.
 *
 * Return of row_filler_idle(): whether there is more work that can be done now.
 */
void row_filler_misses(struct row_filler *f, u64 until_ns);
bool row_filler_idle(struct row_filler *f, u64 until_ns);

/* See row_pool_rule(). */
const struct uw_rule *row_filler_rule(const struct row_filler *f, u32 module, u64 file_off);

struct row_counts row_filler_counts(const struct row_filler *f);
