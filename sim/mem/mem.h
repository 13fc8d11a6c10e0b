/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The simulator's memory, as the core sees it: one function to read, and several back ends that
 * provide the bytes.
 *
 *	core -> port_read_user -> sim_mem_read -> ops->read (image, ...)
 *	                            |
 *	                            injected faults, the log of reads
 *
 * A read behaves exactly like bpf_probe_read_user(): on any error, the result is -14 and the whole
 * destination is zero.
 */

#include "../../core/types.h"

#define SIM_FAULT (-14)
#define SIM_PAGE_LEN 4096

/* Maximum number of bits of a user address, with the largest page tables of either architecture. */
#define SIM_ADDR_LIMIT (1ull << 56)

struct sim_mem;
struct sim_region;

/* A back end, whose struct begins with a struct sim_mem. Pages are as in image.h. */
struct sim_mem_ops {
	const char *name;
	/*
	 * Fills all of @dst and returns 0, or a negative errno with @dst in any state: -ENODATA
	 * if the back end does not know these bytes; any other error is a fault.
	 */
	int (*read)(struct sim_mem *mem, void *dst, u32 len, u64 addr);
	void (*free)(struct sim_mem *mem);
	/*
	 * Lists all pages by address, for readers that have to map them. Returns 0 or a negative
	 * errno. May be NULL.
	 */
	int (*pages)(struct sim_mem *mem, const struct sim_region **out, size_t *n);
	bool is_partial; /* some bytes are unknown, and are zero in the pages */
};

struct sim_read {
	u64 addr;
	u32 len;
	s32 result; /* 0 or SIM_FAULT */
};

/*
 * A log of reads, owned by the caller. at[] has only the first reads; n is the number of all reads.
 */
struct sim_read_log {
	struct sim_read *at;
	u32 room;
	u32 n;
};

struct sim_mem {
	const struct sim_mem_ops *ops;
	struct sim_read_log *log; /* NULL: no log */
	u32 fail_read; /* n > 0: the n-th read from now on fails; 0: no read fails */
	struct {
		u64 addr;
		u32 len; /* 0: none */
	} missing; /* the first read of unknown bytes since the last reset */
};

/**
 * sim_mem_read() - read with the semantics of bpf_probe_read_user()
 * @mem:	any back end
 * @dst:	@len bytes, all zero after a failure
 * @addr:	any value; addr + len may wrap
 *
 * A read of unknown bytes fails like a fault, and is recorded in @mem->missing; the result of the
 * walk is then invalid.
 *
 * Return: 0 or SIM_FAULT.
 */
long sim_mem_read(struct sim_mem *mem, void *dst, u32 len, u64 addr);

/**
 * sim_mem_fail_read() - inject a fault
 * @nth:	1 for the next read, 0 to cancel the injection
 *
 * Only that read fails; later reads are not affected.
 */
void sim_mem_fail_read(struct sim_mem *mem, u32 nth);

/**
 * sim_mem_missing_words() - describe @mem->missing in one line
 *
 * Return: @out, which needs at most 128 bytes.
 */
const char *sim_mem_missing_words(const struct sim_mem *mem, char *out, size_t len);

/**
 * sim_mem_free() - free any back end; NULL is allowed
 */
void sim_mem_free(struct sim_mem **mem);
