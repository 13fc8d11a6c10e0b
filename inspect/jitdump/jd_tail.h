/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Follows a jitdump while it is written. The file may be hostile: truncated, replaced, deleted,
 * sparse and huge. The next poll reads an incomplete record again.
 */

#include "jdr.h"

/* A larger record is skipped, because records are held in memory. */
#define JD_TAIL_MAX_RECORD (64u << 20)
#define JD_TAIL_MAX_DEBUG (4u << 20) /* maximum length of a pending DEBUG_INFO */
#define JD_TAIL_KEEP (1u << 20) /* bytes of buffer kept between polls */

enum jd_tail_what {
	JD_TAIL_CODE, /* a LOAD or MOVE */
	JD_TAIL_NEW, /* the file was replaced or rewritten, so earlier events are no longer valid */
	JD_TAIL_PASSED, /* a record that is too large or broken was skipped */
	JD_TAIL_STUCK, /* the rest of the file is unreadable; this event occurs only once */
};

struct jd_tail_event {
	enum jd_tail_what what;
	const struct jdr_header *header;
	u64 off;
	const struct jdr_record *code;
	const struct jdr_record *debug; /* the valid lines of a LOAD, or NULL */
	u64 debug_off; /* file offset of the record *debug */
};

struct jd_tail {
	int fd;
	char *path; /* NULL: there is only a descriptor, so a replaced file is not detected */
	u64 off; /* file offset of the next record */
	struct jdr_header h;
	u8 head[JD_H_LEN]; /* the header's bytes, to detect that the file was replaced */
	bool has_header, is_stuck;
	u8 *bytes; /* bytes that were read from file offset @off on */
	size_t len, room;
	u8 *debug; /* the last DEBUG_INFO before the next LOAD */
	u32 debug_len;
	u64 debug_off;
};

/**
 * jd_tail_open() - follow a file from its start
 * @t:		free with jd_tail_deinit()
 *
 * Return: 0, -EINVAL for anything but a regular file, or the errno of open.
 */
int jd_tail_open(struct jd_tail *t, const char *path);

/* Like jd_tail_open(), but for a file that is already open. @t owns @fd, also on failure. */
int jd_tail_open_fd(struct jd_tail *t, int fd);
void jd_tail_deinit(struct jd_tail *t);

/**
 * jd_tail_poll() - read new records
 * @max:	limit of bytes per call, so that a long file does not block the caller
 * @event:	called for each event; the event's pointers are valid during the call
 *
 * Never blocks. Return: 1 if there is more to read, 0 if there is not, -EBADMSG if the file is no
 * jitdump, or the errno of reading.
 */
int jd_tail_poll(struct jd_tail *t, u64 max,
		 void (*event)(void *data, const struct jd_tail_event *e), void *data);
