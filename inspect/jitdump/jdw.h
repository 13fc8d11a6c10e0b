/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Declarations shared by the writer's files. */

#include <pthread.h>

#include "jdr.h"
#include "unspool-jitdump.h"

/* Live code and the position of its group in the file, so that a child can copy it. */
struct jdw_live {
	u64 addr, size;
	u64 group_off, group_len; /* position in the file */
	u64 number; /* code_index of the LOAD */
	u64 order; /* number in the order of additions */
	u64 loaded_addr; /* address in the LOAD */
};

struct jdw {
	struct jdw_options options;
	pthread_mutex_t lock;
	char *path;
	int fd;
	void *marker;
	u32 pid, users;
	u64 end; /* end of the complete records in the file */
	u64 limit; /* RLIMIT_FSIZE at open; writing beyond it would raise a signal */
	u64 next_number, next_order, last_time, last_report;
	void *live; /* tsearch() tree of struct jdw_live, whose ranges never overlap */
	struct jdw_counts counts;
};

/* Bytes to be written at once. Records a failed allocation. */
struct jdw_buf {
	u8 *bytes;
	size_t len, room;
	bool no_memory, is_swapped;
};

void jdw_buf_deinit(struct jdw_buf *b);
void jdw_put(struct jdw_buf *b, const void *bytes, size_t len);
void jdw_put_u32(struct jdw_buf *b, u32 v);
void jdw_put_u64(struct jdw_buf *b, u64 v);

/* Overwrites bytes in the buffer. */
void jdw_patch_u32(struct jdw_buf *b, size_t at, u32 v);
void jdw_patch_u64(struct jdw_buf *b, size_t at, u64 v);

/* Appends the file's header: machine, pid, time and flags of @h. */
void jdw_put_header(struct jdw_buf *b, const struct jdr_header *h);

/**
 * jdw_group() - make the records of a piece of code, without the code itself
 * @b:		zeroed except is_swapped
 *
 * Makes DEBUG_INFO, UNWINDING_INFO and LOAD, in the order that perf needs. Times, pid, tid and
 * number are zero until jdw_group_stamp() is called.
 *
 * Return: 0, -EINVAL, -E2BIG or -ENOMEM.
 */
int jdw_group(struct jdw_buf *b, const struct jdw_code *c);
void jdw_group_stamp(struct jdw_buf *b, u64 time, u32 pid, u32 tid, u64 number);

/* Functions for the file. jdw_file_open() and jdw_file_append() are called under the lock. */
int jdw_file_open(struct jdw *w);
int jdw_file_append(struct jdw *w, const struct jdw_buf *head, const void *code, size_t code_len);
void jdw_file_close(struct jdw *w);

/* Functions for the live code; all are called under the lock. */
int jdw_live_set(struct jdw *w, const struct jdw_live *l);
void jdw_live_forget(struct jdw *w, u64 addr, u64 size);
struct jdw_live *jdw_live_at(struct jdw *w, u64 addr);
int jdw_live_replay(struct jdw *w, int old_fd);
void jdw_live_deinit(struct jdw *w);

u64 jdw_time(struct jdw *w);

/* Passes a message to the options' report callback, without the lock. */
void jdw_say(struct jdw *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
