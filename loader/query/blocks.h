/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Self and total samples of each function, and how much they vary over the recording.
 *
 * Samples that follow one another are not independent: a program works for a while on one thing,
 * then on another. Therefore the recording is divided into blocks of one second. For a function
 * with x samples in a block of size e,
 *
 *	squares = sum of x * x / e over all blocks
 *
 * from which the variance between blocks follows. The size e of a block is the number of its
 * samples or, with BLOCKS_BY_TIME, its duration in seconds.
 */

#include "query_types.h"

enum blocks_size { BLOCKS_BY_SAMPLES, BLOCKS_BY_TIME };

struct block_count {
	u64 samples;
	double squares;
};

struct block_row {
	const struct function *function;
	struct block_count self, total;
};

struct blocks {
	struct block_row *rows; /* the functions that have samples */
	u32 n;
	struct block_count all; /* all samples of the profile */
	u32 n_blocks; /* blocks that have a size above 0; 0: some samples have no time */
	double seconds; /* duration of the recording; 0: unknown */
	struct groups *groups; /* owns the functions */
};

/**
 * blocks_count() - count the samples of each function
 * @d:		from data_read_samples(); outlives @blocks
 * @only:	as in a query
 * @blocks:	free with blocks_deinit(), even on failure
 *
 * Return: 0, -ENOMEM, or -ENOSPC for too many functions.
 */
int blocks_count(const struct prof_data *d, enum query_only only, enum blocks_size size,
		 struct blocks *blocks);
void blocks_deinit(struct blocks *blocks);
