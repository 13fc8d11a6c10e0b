/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads a profile line by line: a finished one, with or without compression, the .partial
 * file of a running or killed recorder, or folded stacks. Files are hostile: the length of a
 * line is limited, every value is checked, and errors are reported with the line number.
 */

#include "profile_features.h"

struct prof_reader;

/**
 * prof_reader_open() - open a profile
 * @path:	a file, or "-" for standard input
 * @reader:	free with prof_reader_free()
 *
 * Return: 0 or a negative errno.
 */
int prof_reader_open(const char *path, struct prof_reader **reader);

/*
 * Reads from a file descriptor. The reader owns the descriptor from this call on, even if the
 * call fails. @name is used in error messages.
 */
int prof_reader_new(int fd, const char *name, struct prof_reader **reader);
void prof_reader_free(struct prof_reader **reader);

/**
 * prof_reader_next() - read one line
 * @record:	borrowed from the reader, valid until the next call
 *
 * The first record is a header. An incomplete last line is skipped;
 * prof_reader_is_cut() is true then.
 *
 * Return: 1, 0 at the end, -EBADMSG when the file is malformed, or the negative
 * errno of a read; prof_reader_error() has details.
 */
int prof_reader_next(struct prof_reader *r, struct prof_record *record);

/* May change a frame. Returns whether it did; its strings are borrowed until the next call. */
typedef bool prof_reader_change_fn(void *data, struct prof_frame *f);

#define PROF_READER_MAX_CHANGES 3

/* After the end of a file that is not compressed: continues with the lines added since then. */
void prof_reader_resume(struct prof_reader *r);

/**
 * prof_reader_change_frames() - add a function that changes frames while they are read
 * @change:	called after the functions that were added before, at most
 *		PROF_READER_MAX_CHANGES in all
 *
 * The line of a changed frame is built again, without keys that this version does not know.
 */
void prof_reader_change_frames(struct prof_reader *r, prof_reader_change_fn *change, void *data);

/**
 * prof_reader_set_lines() - set a function that changes lines while they are read
 * @change:	may change the object of a line; returns 1, 0 to drop the line, or a negative errno.
 *		A changed object must be a valid line of the same type.
 *
 * Frames have already been changed by the functions of prof_reader_change_frames().
 */
void prof_reader_set_lines(struct prof_reader *r, int (*change)(void *data, json_t *line),
			   void *data);

/* Returns the set of features of the lines read so far; see profile_features.h. */
u32 prof_reader_features(const struct prof_reader *r);

/* Return: whether the file ends in the middle of a line, as it does if the recorder was killed. */
bool prof_reader_is_cut(const struct prof_reader *r);

/* The first error, on one line: "NAME:LINE: problem". Empty if there was no error. */
const char *prof_reader_error(const struct prof_reader *r);

/**
 * prof_reader_fail() - report an error at the line that was read last
 *
 * For errors that only several lines together show. Only the first error is stored.
 *
 * Return: -EBADMSG.
 */
int prof_reader_fail(struct prof_reader *r, const char *what);
