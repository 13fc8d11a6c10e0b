/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A process of the recorder's own that does what could hang, crash or eat memory:
 * looking for debug files along a target's paths (FUSE and network file systems may
 * never answer), decompressing .gnu_debugdata, reading DWARF by libdw.
 *
 *	recorder  -- HELPER_OPEN, HELPER_LINES -->  helper    as nobody, CAP_DAC_READ_SEARCH,
 *	          <-- answers, descriptors ------             HELPER_MEMORY, no other file open
 *
 * Nobody waits for it: requests and answers are sent without blocking, and one that takes
 * longer than HELPER_PATIENCE_NS costs the helper its life and the module its lines.
 */

#include "helper_wire.h"

#define HELPER_PATIENCE_NS 5000000000ull
#define HELPER_MEMORY (768u << 20) /* what it may use at most, RLIMIT_DATA */
#define HELPER_KEPT_MEMORY (32u << 20) /* of all modules together, but for the one in use */
#define HELPER_MAX_DEBUG_LEN (128u << 20) /* debug sections of one module */
#define HELPER_MAX_ALL_DEBUG_LEN (256u << 20) /* of all that are open; the oldest is closed */
#define HELPER_MAX_MINI_LEN (64u << 20)
#define HELPER_MAX_STARTS 16

struct helper;

/* Starts no process yet. 0 or -ENOMEM. */
int helper_new(struct helper **h);
void helper_free(struct helper **h);

/* Changes when another helper starts, which knows of no module; 0: there is none any more. */
u32 helper_generation(const struct helper *h);

/**
 * helper_open() - tell the helper of a module
 * @fd:		its file; borrowed
 * @root_fd:	the root directory of a process that maps it, or -1; borrowed
 * @path:	as that process sees it
 * @fetched:	its debug file, from elsewhere; NULL: none
 *
 * Return: 0, -EAGAIN (too much is asked already), -ENOSYS (there is no helper any more).
 */
int helper_open(struct helper *h, u32 module, int fd, int root_fd, const char *path,
		const char *fetched);

/* Asks for the lines of a link-time address of a module it was told of. As helper_open(). */
int helper_lines(struct helper *h, u32 module, u64 addr);

/*
 * Gets an answer with up to two descriptors (-1: none), which it takes. @text holds the frames.
 * When the helper has died, each request gets one: -EIO for the module at fault, -ESTALE for
 * others.
 */
typedef void helper_fn(const struct helper_answer *a, const char *text, int fds[2], void *data);

/**
 * helper_poll() - take the answers that are there
 * @wait_ms:	for the first, 0: don't wait
 */
void helper_poll(struct helper *h, int wait_ms, helper_fn *fn, void *data);

/* Processor time that helpers have used. */
u64 helper_cpu_ns(const struct helper *h);

/* The helper itself; does not return. helper_child.c */
void helper_child(int fd) __attribute__((noreturn));
