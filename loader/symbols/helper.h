/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A child process for work that could hang, crash or use too much memory: searching for debug
 * files along a target's paths (FUSE and network file systems may never answer), decompressing
 * .gnu_debugdata, and reading DWARF with libdw.
 *
 *	recorder  -- HELPER_OPEN, HELPER_LINES -->  helper    as `nobody`, CAP_DAC_READ_SEARCH,
 *	          <-- answers, descriptors ------             HELPER_MEMORY, no other file open
 *
 * The recorder never blocks on the helper, because requests and answers are sent without blocking.
 * If a request takes longer than HELPER_PATIENCE_NS, the helper is killed and the module has no
 * lines.
 */

#include "helper_wire.h"

#define HELPER_PATIENCE_NS 5000000000ull
#define HELPER_MEMORY (768u << 20) /* limit of the helper's memory, RLIMIT_DATA */
/* limit of the memory that all modules except the one in use may keep */
#define HELPER_KEPT_MEMORY (32u << 20)
#define HELPER_MAX_DEBUG_LEN (128u << 20) /* limit of the debug sections of one module */
/* limit of the debug sections of all open modules together */
#define HELPER_MAX_ALL_DEBUG_LEN (256u << 20)
#define HELPER_MAX_MINI_LEN (64u << 20)
#define HELPER_MAX_STARTS 64

struct helper;

/* Does not start a process yet. Return: 0 or -ENOMEM. */
int helper_new(struct helper **h);
void helper_free(struct helper **h);

/*
 * The generation of the helper, which changes when a new helper starts. A new helper has no open
 * modules. Generation 0 means that no helper will be started any more.
 */
u32 helper_generation(const struct helper *h);

/**
 * helper_open() - send a module to the helper
 * @fd:		file of the module; borrowed
 * @root_fd:	the root directory of a process that maps the module, or -1; borrowed
 * @path:	path of the file as seen by that process
 * @fetched:	debug file that was fetched for the module; NULL: none
 *
 * Return: 0, -EAGAIN (too many pending requests), -ENOSYS (no helper will be started any more).
 */
int helper_open(struct helper *h, u32 module, int fd, int root_fd, const char *path,
		const char *fetched);

/*
 * Requests the lines of a link-time address. The module must have been sent with helper_open().
 * Return: as helper_open().
 */
int helper_lines(struct helper *h, u32 module, u64 addr);

/*
 * Called with an answer and up to two descriptors (-1: none), which the callee owns. @text contains
 * the frames. If the helper dies, each pending request gets an answer: the oldest request gets
 * -EIO, because it may have caused the death; the others get -ESTALE.
 */
typedef void helper_fn(const struct helper_answer *a, const char *text, int fds[2], void *data);

/**
 * helper_poll() - process available answers
 * @wait_ms:	time to wait for the first answer; 0: do not wait
 */
void helper_poll(struct helper *h, int wait_ms, helper_fn *fn, void *data);

/* CPU time used by helpers. */
u64 helper_cpu_ns(const struct helper *h);

/* Main function of the helper (helper_child.c); does not return. */
void helper_child(int fd) __attribute__((noreturn));
