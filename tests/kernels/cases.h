/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads a pack walk by walk, in the form that the engines take. */

#include "../../sim/engine/engine.h"
#include "../../sim/mem/image.h"
#include "pack.h"

struct packed_walk {
	struct sim_mem mem; /* the target's; only pages of the pack are readable */
	struct pack_walk head;
	struct sim_target target;
	struct sim_region *regions;
	struct sim_walk *found; /* by the native engine that made the pack */
	void *blobs[PACK_N_BLOBS];
};

struct pack {
	const u8 *bytes, *at; /* the file, and the offset of the next walk */
	u64 len;
	u32 n_walks, n_chunks;
};

/**
 * pack_open() - a pack that pack.c has written
 * @out:	lives until the process ends
 *
 * Return: 0 or a negative errno.
 */
int pack_open(const char *path, struct pack *out);

/**
 * pack_next() - the next walk
 * @out:	packed_walk_free()
 *
 * Return: 0 or a negative errno.
 */
int pack_next(struct pack *p, struct packed_walk **out);
void packed_walk_free(struct packed_walk **w);
