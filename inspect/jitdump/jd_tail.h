/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Follows a jitdump while it is written. The file is a stranger's: it may be cut,
 * replaced, deleted, be sparse and huge. What is not yet whole is read again the next time.
 */

#include "jdr.h"

/* A record larger than this is passed over: its bytes would be held in memory. */
#define JD_TAIL_MAX_RECORD (64u << 20)
#define JD_TAIL_MAX_DEBUG (4u << 20) /* of lines, which are kept until their code comes */
#define JD_TAIL_KEEP (1u << 20) /* of memory that is held between two looks */

enum jd_tail_what {
	JD_TAIL_CODE, /* a LOAD or MOVE */
	JD_TAIL_NEW, /* another file, or this one from the start: what was said is void */
	JD_TAIL_PASSED, /* a record that is too large or broken */
	JD_TAIL_STUCK, /* nothing can be read from here on; told once */
};

struct jd_tail_event {
	enum jd_tail_what what;
	const struct jdr_header *header;
	u64 off;
	const struct jdr_record *code;
	const struct jdr_record *debug; /* of a LOAD: its lines, which can be believed; or NULL */
	u64 debug_off; /* of that record */
};

struct jd_tail {
	int fd;
	char *path; /* NULL: the descriptor alone is followed */
	u64 off; /* of the record to be read next */
	struct jdr_header h;
	u8 head[JD_H_LEN]; /* the header's bytes: with other ones it is another file */
	bool has_header, is_stuck;
	u8 *bytes; /* what was read from off on */
	size_t len, room;
	u8 *debug; /* the last DEBUG_INFO before the next LOAD */
	u32 debug_len;
	u64 debug_off;
};

/**
 * jd_tail_open() - begin at the file's start
 * @t:		free with jd_tail_deinit()
 *
 * Return: 0, -EINVAL: no regular file, or what open gave.
 */
int jd_tail_open(struct jd_tail *t, const char *path);

/* The same for a file that is open: @fd is taken, also on failure. */
int jd_tail_open_fd(struct jd_tail *t, int fd);
void jd_tail_deinit(struct jd_tail *t);

/**
 * jd_tail_poll() - what has been added
 * @max:	bytes to look at most, so that a long file does not hold up the caller
 * @event:	called for each; what it points to is gone afterwards
 *
 * Never blocks. Return: 1 when there is more at once, 0 when there is not, -EBADMSG: the
 * file is no jitdump, or what reading gave.
 */
int jd_tail_poll(struct jd_tail *t, u64 max,
		 void (*event)(void *data, const struct jd_tail_event *e), void *data);
