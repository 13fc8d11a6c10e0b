/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One interface to the memory of a target: a live process, a core file, or
 * simulated memory. Everything that is read through it is hostile.
 */

#include <stddef.h>

#include "../../core/types.h"

/* What a reader takes the bytes for that it asks for. */
enum target_holds { TARGET_OBJECT, TARGET_TEXT, TARGET_SOURCE };

struct target {
	/*
	 * Reads all of [addr, addr + len) or nothing. Returns 0, or -EFAULT
	 * (not mapped), or -ESRCH (the target is gone).
	 */
	int (*read)(struct target *t, u64 addr, void *dst, size_t len);
	/* Forgets what was read before; NULL: each read is made of the target itself. */
	void (*renew)(struct target *t);
	/* Told of each read that gave bytes; NULL: nobody wants to know. */
	void (*on_read)(struct target *t, u64 addr, const void *bytes, size_t len);
	void *data; /* on_read's */
	enum target_holds holds; /* of the read that is being made */
};

/**
 * target_read() - read memory of the target
 * @t:		target
 * @addr:	first address
 * @dst:	where to; all zero after a failure
 * @len:	bytes
 *
 * Return: 0, -EFAULT or -ESRCH.
 */
int target_read(struct target *t, u64 addr, void *dst, size_t len);

/**
 * target_renew() - what is read from now on is as the target has it now, or later
 *
 * To be called before what was read is read again to see whether it has changed.
 */
void target_renew(struct target *t);

struct target_pages;

/* A live process. Embeds struct target; _init() opens it, _deinit() closes it. */
struct target_process {
	struct target target;
	int mem_fd; /* /proc/PID/mem: stays with this image, dies with exec and exit */
	struct target_pages *pages; /* that are kept; NULL: none */
};

/**
 * target_process_init() - a live process as a target
 * @t:		set up on success
 * @pid:	as the caller's PID namespace sees it
 *
 * Return: 0 or a negative errno (-ESRCH, -EACCES, -EMFILE).
 */
int target_process_init(struct target_process *t, int pid);
void target_process_deinit(struct target_process *t);

/**
 * target_process_keep() - keep pages that are read, up to target_renew()
 *
 * A system call costs the same for a word and for a page, and who reads one field of an
 * object reads the next one. Who calls this has to call target_renew().
 *
 * Return: 0 or -ENOMEM.
 */
int target_process_keep(struct target_process *t);

/* Bytes in memory as a target, from address 0 on. */
struct target_bytes {
	struct target target;
	const u8 *bytes; /* borrowed */
	size_t len;
};

void target_bytes_init(struct target_bytes *t, const u8 *bytes, size_t len);
