/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One file with names of code, a jitdump or a perf map, read while the process writes it.
 *
 * In a jitdump, code is valid from the time of its record on. A perf map has no times, and
 * some jitdumps use another clock. Code in a file without usable times is valid from the
 * time of the last poll that did not find the code, or, if the first poll finds it, from the
 * creation of the file.
 */

#include "../../core/types.h"

#define JIT_MAX_BYTES (64u << 20) /* limit of the names of all processes, in bytes */

struct jit_source;

struct jit_code {
	const char *name; /* NULL: the JIT recorded the code without a name */
	u64 start_addr; /* first byte of the code */
	const char *file; /* NULL: unknown */
	u32 line, column; /* 0: unknown */
};

struct jit_source_config {
	bool is_map;
	u32 pid; /* pid in the process's namespace; records of other pids are ignored */
	u64 until_ns; /* code that was written from this time on belongs to another process;
		       * NEVER_NS: all code is of this process */
	u64 since_ns; /* in a file without times, no code is valid before this */
	size_t *used; /* bytes that the names of all processes take, at most JIT_MAX_BYTES;
		       * borrowed */
};

/* Takes over @fd. Return: 0, -EINVAL (not a regular file) or -ENOMEM. */
int jit_source_new(struct jit_source **s, int fd, const struct jit_source_config *config);
void jit_source_free(struct jit_source **s);

/* Return: whether @s reads the file with this device and inode. */
bool jit_source_is(const struct jit_source *s, u64 dev, u64 inode);
bool jit_source_is_map(const struct jit_source *s);

/**
 * jit_source_poll() - read code that was added to the file
 * @until_ns:	CLOCK_MONOTONIC; the caller needs all code that was written up to this time
 *
 * Reads JIT_POLL_BYTES at most. Return: true if everything was read.
 */
#define JIT_POLL_BYTES (4u << 20)
bool jit_source_poll(struct jit_source *s, u64 until_ns);

/* Time of the last poll that read everything; 0: none yet. */
u64 jit_source_polled_ns(const struct jit_source *s);

/* Return: whether the file was unlinked, so that its name may now belong to another file. */
bool jit_source_is_gone(const struct jit_source *s);

/* Return: whether some code was dropped because names reached the limit. */
bool jit_source_is_full(const struct jit_source *s);

/**
 * jit_source_find() - find the code at an address
 * @addr:	address; for a return address, pass it minus one
 * @c:		borrowed until the next call with @s
 *
 * Return: 0 or -ENOENT.
 */
int jit_source_find(struct jit_source *s, u64 addr, u64 time_ns, struct jit_code *c);
