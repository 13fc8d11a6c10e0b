/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One interface to the memory of a target: a live process, a core file, or simulated
 * memory. All bytes read through it are hostile.
 */

#include <stddef.h>

#include "../../core/types.h"

/* The kind of data that a read is for. */
enum target_holds { TARGET_OBJECT, TARGET_TEXT, TARGET_SOURCE };

struct target {
	/*
	 * Reads all of [addr, addr + len) or nothing. Return: 0, -EFAULT (not mapped), or -ESRCH
	 * (the target is gone).
	 */
	int (*read)(struct target *t, u64 addr, void *dst, size_t len);
	/* Drops cached bytes; NULL if there is no cache. */
	void (*renew)(struct target *t);
	/* Called after each successful read; may be NULL. */
	void (*on_read)(struct target *t, u64 addr, const void *bytes, size_t len);
	void *data; /* data for on_read() */
	enum target_holds holds; /* kind of the current read */
};

/**
 * target_read() - read memory of the target
 * @t:		target
 * @addr:	first address
 * @dst:	zeroed on failure
 * @len:	number of bytes
 *
 * Once the current budget is spent, all reads are faults.
 *
 * Return: 0, -EFAULT or -ESRCH.
 */
int target_read(struct target *t, u64 addr, void *dst, size_t len);

/**
 * target_renew() - make later reads return the target's current memory
 *
 * Call this function before reading the same address again to see whether the memory has changed.
 */
void target_renew(struct target *t);

struct target_pages;

/* A live process as a target. target_process_init() opens it, target_process_deinit() closes it. */
struct target_process {
	struct target target;
	int mem_fd; /* /proc/PID/mem: bound to this address space; ends with exec and exit */
	struct target_pages *pages; /* the cache; NULL: none */
};

/**
 * target_process_init() - open a live process as a target
 * @t:		set up on success
 * @pid:	in the caller's PID namespace
 *
 * Return: 0 or a negative errno (-ESRCH, -EACCES, -EMFILE).
 */
int target_process_init(struct target_process *t, int pid);
void target_process_deinit(struct target_process *t);

/**
 * target_process_keep() - cache pages until target_renew()
 *
 * A system call costs the same for a word as for a page, and a reader of one field usually
 * reads the next one, too. The caller must call target_renew() to see changes.
 *
 * Return: 0 or -ENOMEM.
 */
int target_process_keep(struct target_process *t);

/* Bytes in memory as a target that starts at address 0. */
struct target_bytes {
	struct target target;
	const u8 *bytes; /* borrowed */
	size_t len;
};

void target_bytes_init(struct target_bytes *t, const u8 *bytes, size_t len);
