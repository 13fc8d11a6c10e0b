/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Files of source maps that are parsed later. A small file is copied. A large file is kept open, so
 * that it is readable after the process that uses it has ended, or the file was deleted.
 */

#include "../../core/types.h"

#define HELD_MAPS_COPIED_LEN (256ull << 10) /* a larger file is kept open */
#define HELD_MAPS_MAX_COPIED_LEN (64ull << 20) /* limit of all copies together */
#define HELD_MAPS_MAX_OPEN 64
#define HELD_MAPS_MAX_OPEN_LEN (256ull << 20) /* limit of all open files together */

struct held_map {
	u64 dev, inode, size, changed_ns; /* the identity of the file */
	int fd; /* -1: the file was copied */
	char *text; /* NULL: the file is open */
};

/* Zeroed: empty. */
struct held_maps {
	struct held_map *v;
	u32 n, cap;
	u32 n_open;
	u64 copied_len, open_len;
};

void held_maps_deinit(struct held_maps *h);

/**
 * held_maps_add() - hold a file
 * @fd:		a regular file, which is closed or owned by @h after this call
 * @idx:	number of the file; a file that was added before has the same number
 *
 * Return: 0, -EFBIG (the file is too large, or a limit is reached), or another negative errno.
 */
int held_maps_add(struct held_maps *h, int fd, u32 *idx);

/*
 * Opens a held file, which the caller closes. Returns a descriptor, -ESTALE if the file was changed
 * meanwhile, or another negative errno.
 */
int held_maps_open(const struct held_maps *h, u32 idx);
