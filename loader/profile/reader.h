/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads a profile line by line: a finished one of any compression, the .partial
 * of a recorder that runs or was killed, or folded stacks. Files are hostile: lines are
 * capped, every value is checked, and what is wrong is told with its line.
 */

#include "record.h"

struct prof_reader;

/**
 * prof_reader_open() - open a profile
 * @path:	a file, or "-" for standard input
 * @reader:	free with prof_reader_free()
 *
 * Return: 0 or a negative errno.
 */
int prof_reader_open(const char *path, struct prof_reader **reader);

/* The same for an open file; @fd is owned by the reader, also on failure. @name is for messages. */
int prof_reader_new(int fd, const char *name, struct prof_reader **reader);
void prof_reader_free(struct prof_reader **reader);

/**
 * prof_reader_next() - read one line
 * @record:	borrowed from the reader, valid until the next call
 *
 * The first record is a header. A last line without its end is left out and
 * makes prof_reader_is_cut() true.
 *
 * Return: 1, 0 at the end, -EBADMSG when the file is broken, or the negative
 * errno of a read; prof_reader_error() tells more.
 */
int prof_reader_next(struct prof_reader *r, struct prof_record *record);

/**
 * prof_reader_set_frames() - name frames anew while they are read
 * @change:	may change a frame that was read, and returns whether it did; its strings are
 *		borrowed until it is called again
 *
 * The line of a changed frame is written anew; keys that this version does not know are left out.
 */
void prof_reader_set_frames(struct prof_reader *r, bool (*change)(void *data, struct prof_frame *f),
			    void *data);

/* The file ended in the middle of a line, as a killed recorder leaves it. */
bool prof_reader_is_cut(const struct prof_reader *r);

/* What went wrong, one line: "NAME:LINE: what". Empty while nothing did. */
const char *prof_reader_error(const struct prof_reader *r);

/**
 * prof_reader_fail() - blame the line that was read last
 *
 * For what only shows when lines are put together. The first error stays.
 *
 * Return: -EBADMSG.
 */
int prof_reader_fail(struct prof_reader *r, const char *what);
