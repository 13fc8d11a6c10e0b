/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One file with names of code, a jitdump or a perf map, followed while it is written.
 *
 * Code is known from its record's time on. A perf map has no times, and the clock of some
 * jitdumps is another: then code is known from when the file was last looked at without
 * it; what was there at first, from when the file was made.
 */

#include "../../core/types.h"

#define JIT_MAX_BYTES (64u << 20) /* of names, of all processes together */

struct jit_source;

struct jit_code {
	const char *name;
	const char *file; /* NULL: unknown */
	u32 line, column; /* 0: unknown */
};

struct jit_source_config {
	bool is_map;
	u32 pid; /* the process's own number: who else writes to its jitdump is another */
	u64 until_ns; /* code from then on is of another process; ~0: never */
	u64 since_ns; /* of a file without times: no code is known from before */
	size_t *used; /* of JIT_MAX_BYTES; borrowed */
};

/* Takes @fd. 0, -EINVAL (no regular file) or -ENOMEM. */
int jit_source_new(struct jit_source **s, int fd, const struct jit_source_config *config);
void jit_source_free(struct jit_source **s);

/* Is it of this file? */
bool jit_source_is(const struct jit_source *s, u64 dev, u64 inode);
bool jit_source_is_map(const struct jit_source *s);

/**
 * jit_source_poll() - what has been added
 * @until_ns:	CLOCK_MONOTONIC: what was there at that time is wanted
 *
 * Reads JIT_POLL_BYTES at most. Return: whether all was read.
 */
#define JIT_POLL_BYTES (4u << 20)
bool jit_source_poll(struct jit_source *s, u64 until_ns);

/* When it was looked at last and all was read; 0: not yet. */
u64 jit_source_polled_ns(const struct jit_source *s);

/* Has it no name any more? Another file may have it. */
bool jit_source_is_gone(const struct jit_source *s);

/* Did not all of it find room? */
bool jit_source_is_full(const struct jit_source *s);

/**
 * jit_source_find() - the code at an address
 * @addr:	of a return address: minus one
 * @c:		borrowed until the next call with @s
 *
 * Return: 0 or -ENOENT.
 */
int jit_source_find(struct jit_source *s, u64 addr, u64 time_ns, struct jit_code *c);
