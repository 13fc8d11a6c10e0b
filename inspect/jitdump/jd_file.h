/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A whole jitdump in memory. To follow a growing file use jd_tail.h. */

#include "jdr.h"

struct jd_file {
	u8 *bytes;
	size_t len;
	struct jdr_header h;
};

#define JD_MAX_FILE (2ull << 30)

/* A record found by resync must be at most this much later than the previous record. */
#define JD_RESYNC_NS 3600000000000ull

/**
 * jd_file_read() - read a file that may be hostile or still growing
 * @f:		free with jd_file_deinit()
 *
 * Never blocks, and maps nothing, so a file that is truncated during the read is only shorter.
 *
 * Return: 0, -EINVAL (not a regular file), -EFBIG (above JD_MAX_FILE), -ENODATA (shorter
 * than a header), -EBADMSG (not a jitdump), -ENOMEM, or the errno of open and read.
 */
int jd_file_read(struct jd_file *f, const char *path);
void jd_file_deinit(struct jd_file *f);

/**
 * jd_file_next() - parse the record at an offset
 * @at:		offset of the record; initially 0, which means the end of the header; advanced past
 *	the record, if any
 */
enum jdr_status jd_file_next(const struct jd_file *f, u64 *at, struct jdr_record *rec);
