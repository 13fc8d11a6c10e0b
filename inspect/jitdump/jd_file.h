/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A whole jitdump in memory, for those who look at all of it. Who follows a live one: jd_tail.h. */

#include "jdr.h"

struct jd_file {
	u8 *bytes;
	size_t len;
	struct jdr_header h;
};

#define JD_MAX_FILE (2ull << 30)

/* How much later a record may be than the one before, where it is in doubt that it is one. */
#define JD_RESYNC_NS 3600000000000ull

/**
 * jd_file_read() - read a file that may be hostile or still grow
 * @f:		free with jd_file_deinit()
 *
 * Never blocks and maps nothing: a file that is cut meanwhile ends there.
 *
 * Return: 0, -EINVAL (no regular file), -EFBIG (above JD_MAX_FILE), -ENODATA (shorter
 * than a header), -EBADMSG (no jitdump), -ENOMEM, or what open and read gave.
 */
int jd_file_read(struct jd_file *f, const char *path);
void jd_file_deinit(struct jd_file *f);

/**
 * jd_file_next() - the record at an offset
 * @at:		where; begin with zero, which stands for the end of the header. Moved on
 *		when there is a record
 */
enum jdr_status jd_file_next(const struct jd_file *f, u64 *at, struct jdr_record *rec);
