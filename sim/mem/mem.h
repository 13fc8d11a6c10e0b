/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The simulator's own memory, as the core sees it: one way to read, and any of
 * several back ends that know the bytes.
 *
 *	core -> port_read_user -> sim_mem_read -> ops->read (image, ...)
 *	                            |
 *	                            injected faults, the log of reads
 *
 * What a reader can tell from bpf_probe_read_user() it can tell from this:
 * whatever goes wrong, the result is -14 and the whole destination is zero.
 */

#include "../../core/types.h"

#define SIM_FAULT (-14)
#define SIM_PAGE_LEN 4096

/* No user address has more bits, with the largest page tables of either architecture. */
#define SIM_ADDR_LIMIT (1ull << 56)

struct sim_mem;
struct sim_region;

/* A back end, whose pages are those of image.h. It embeds struct sim_mem as its first member. */
struct sim_mem_ops {
	const char *name;
	/*
	 * All of @dst and 0, or a negative errno and @dst in any state: -ENODATA where the
	 * back end does not know what a read gives, any other is a fault.
	 */
	int (*read)(struct sim_mem *mem, void *dst, u32 len, u64 addr);
	void (*free)(struct sim_mem *mem);
	/* All pages by address, for who can only map them: 0 or a negative errno. NULL: never. */
	int (*pages)(struct sim_mem *mem, const struct sim_region **out, size_t *n);
	bool is_partial; /* some addresses it does not know; its pages have zeros there */
};

struct sim_read {
	u64 addr;
	u32 len;
	s32 result; /* 0 or SIM_FAULT */
};

/* The caller's; at[] holds the first reads, n counts all of them. */
struct sim_read_log {
	struct sim_read *at;
	u32 room;
	u32 n;
};

struct sim_mem {
	const struct sim_mem_ops *ops;
	struct sim_read_log *log; /* NULL: none is kept */
	u32 fail_read; /* this many reads from now fails; 0: none */
	struct {
		u64 addr;
		u32 len; /* 0: none */
	} missing; /* first read since it was reset that asked for what is not known */
};

/**
 * sim_mem_read() - read with the semantics of bpf_probe_read_user()
 * @mem:	any back end
 * @dst:	@len bytes, all zero after a failure
 * @addr:	any value; addr + len may wrap
 *
 * What is not known reads as a fault, and is noted in @mem->missing: whatever is made
 * of such a read is no result.
 *
 * Return: 0 or SIM_FAULT.
 */
long sim_mem_read(struct sim_mem *mem, void *dst, u32 len, u64 addr);

/**
 * sim_mem_fail_read() - inject a fault
 * @nth:	1 for the next read, 0 to take the injection back
 *
 * It holds for that one read; those after it are as good as the memory is.
 */
void sim_mem_fail_read(struct sim_mem *mem, u32 nth);

/**
 * sim_mem_missing_words() - what @mem->missing is, in one line for people
 *
 * Return: @out, 128 bytes will do.
 */
const char *sim_mem_missing_words(const struct sim_mem *mem, char *out, size_t len);

/**
 * sim_mem_free() - free any back end; NULL is fine
 */
void sim_mem_free(struct sim_mem **mem);
