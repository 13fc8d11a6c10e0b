/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Turns a profile into any format. A format is one struct; to add one, write a
 * file with its write() and name it in out.c.
 */

#include <stdio.h>
#include <sys/types.h>

#include "../profile/reader.h"

struct out_format {
	const char *name; /* for -f; with a dot before it, the files' suffix */

	/**
	 * write() - write a whole profile
	 * @in:		at its start
	 * @out:	what is buffered in it need not be flushed
	 *
	 * Return: 0, or a negative errno: that of @out, or what made
	 * prof_reader_error() tell more.
	 */
	int (*write)(struct prof_reader *in, FILE *out);
};

extern const struct out_format out_ndjson, out_ndjson_gz, out_ndjson_zst, out_folded;

/* For messages. */
#define OUT_FORMAT_NAMES "ndjson, ndjson.gz, ndjson.zst, folded"

/**
 * out_format_find() - the format of that name, else of a path with its suffix
 *
 * Return: NULL when there is none.
 */
const struct out_format *out_format_find(const char *name_or_path);

/* Who is to own the file; (uid_t)-1 for whoever writes it. */
struct out_owner {
	uid_t uid;
	gid_t gid;
};

#define OUT_OWNER_SELF ((struct out_owner){ (uid_t)-1, (gid_t)-1 })

/* Something that can be written. write() gives 0 or a negative errno. */
struct out_job {
	int (*write)(void *data, FILE *out);
	void *data;
};

/**
 * out_write() - write a file
 *
 * The file appears under its name when it is whole, with mode 0600; until then
 * it is a temporary beside it, which a failure removes. A pipe or character
 * device is written directly. SIGXFSZ must be ignored, else a size limit kills.
 *
 * Return: 0 or a negative errno, also of the job.
 */
int out_write(const struct out_job *job, const char *path, struct out_owner owner);

/**
 * out_write_file() - write a profile to a file, as out_write() does
 * @in:		at its start
 *
 * Return: 0 or a negative errno; prof_reader_error() is set when @in is to blame.
 */
int out_write_file(const struct out_format *format, struct prof_reader *in, const char *path,
		   struct out_owner owner);

/**
 * out_finish() - make the final file of a recording
 * @partial:	the finished .partial; gone afterwards
 *
 * Return: as out_write_file(); on a failure @partial is still there.
 */
int out_finish(const struct out_format *format, const char *partial, const char *path,
	       struct out_owner owner);

/* For formats made of lines: hands each to @line, without its end. */
int out_each_line(struct prof_reader *in, int (*line)(void *sink, const char *text, size_t len),
		  void *sink);
