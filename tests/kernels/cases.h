/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Reads a pack walk by walk, in the form in which the engines take a walk. */

#include "../../sim/engine/engine.h"
#include "../../sim/mem/image.h"
#include "pack.h"

struct packed_walk {
	struct sim_mem mem; /* the target's memory; only pages in the pack are readable */
	struct pack_walk head;
	struct sim_target target;
	struct sim_region *regions;
	struct sim_walk *found; /* the native engine's result, from the pack */
	void *blobs[PACK_N_BLOBS];
};

struct pack {
	const u8 *bytes, *at; /* the file, and the position of the next walk in it */
	u64 len;
	u32 n_walks, n_chunks;
};

/**
 * pack_open() - open a pack that pack.c has written
 * @out:   the pack; is never freed
 *
 * Return: 0 or a negative errno.
 */
int pack_open(const char *path, struct pack *out);

/**
 * pack_next() - read the next walk
 * @out:	the caller frees it with packed_walk_free()
 *
 * Return: 0 or a negative errno.
 */
int pack_next(struct pack *p, struct packed_walk **out);
void packed_walk_free(struct packed_walk **w);
