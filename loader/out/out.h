/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Converts a profile to an output format. Each format is one struct. To add a format, write a
 * file that defines its struct and list the struct in out.c.
 */

#include <stdio.h>
#include <sys/types.h>

#include "../profile/reader.h"

struct out_owner;

struct out_format {
	const char *name; /* name for -f */
	const char *suffix; /* suffix of files in this format, without the leading dot */
	u32 holds; /* features of a profile that the format holds, see profile/profile_features.h */

	/**
	 * write() - write a whole profile
	 * @in:		reader at the start of the profile
	 * @out:	write() need not flush it
	 *
	 * Return: 0, or the negative errno of a failed write to @out or of a failed read of
	 * @in; after a failed read, prof_reader_error() is set.
	 */
	int (*write)(struct prof_reader *in, FILE *out);

	/**
	 * write_threads() - write one file for each thread; NULL: the format has no such files
	 * @path:	path of the files, in which "%t" stands for the thread's id
	 *
	 * Without "%t" in the path, write() writes the thread with the most samples.
	 *
	 * Return: as out_write_file().
	 */
	int (*write_threads)(struct prof_reader *in, const char *path,
			     const struct out_owner *owner);
};

extern const struct out_format out_html, out_ndjson, out_ndjson_gz, out_ndjson_zst, out_folded,
	out_pprof, out_speedscope, out_firefox, out_cpuprofile, out_perf_script, out_svg;

/* For error messages. */
#define OUT_FORMAT_NAMES                                                                           \
	"html, ndjson, ndjson.gz, ndjson.zst, folded, pprof, speedscope, firefox, cpuprofile, "    \
	"perf-script, svg"

/**
 * out_format_find() - find a format by its name or by the suffix of a path
 *
 * Return: NULL if there is none.
 */
const struct out_format *out_format_find(const char *name_or_path);

/**
 * out_omissions() - list the parts of a profile that its output does not hold
 * @in:		reader whose profile was written
 * @path:	path of the output
 * @text:	one line such as "app.svg has no times and tiers of the profile; ..."
 *
 * Return: false if nothing was omitted.
 */
bool out_omissions(const struct out_format *format, const struct prof_reader *in, const char *path,
		   char *text, size_t size);

/* Prints these parts in one line on stderr, if there are any. */
void out_print_omissions(const struct out_format *format, const struct prof_reader *in,
			 const char *path);

/* Return: whether the format writes a file for each thread to @path. */
bool out_writes_threads(const struct out_format *format, const char *path);

/* Owner of a new file; (uid_t)-1: the current user. */
struct out_owner {
	uid_t uid;
	gid_t gid;
	bool is_new; /* replace no file, because Unspool chose the name; return -EEXIST instead */
};

#define OUT_OWNER_SELF ((struct out_owner){ (uid_t)-1, (gid_t)-1, false })

/* The content of a file to write. */
struct out_job {
	int (*write)(void *data, FILE *out);
	void *data;
};

/**
 * out_write() - write a file
 *
 * The file appears under its name when it is complete, with mode 0600. Until then it is a
 * temporary file in the same directory, which is removed on failure. A pipe or character
 * device is written directly. The caller must have set SIGXFSZ to be ignored.
 *
 * Return: 0, or the negative errno of the job or of a write.
 */
int out_write(const struct out_job *job, const char *path, struct out_owner owner);

/**
 * out_write_file() - write a profile to a file, as out_write() does
 * @in:		reader at the start of the profile
 *
 * Return: 0 or a negative errno; prof_reader_error() is set if @in is malformed or unreadable.
 */
int out_write_file(const struct out_format *format, struct prof_reader *in, const char *path,
		   struct out_owner owner);

/**
 * out_finish() - convert the .partial file of a recording to an output
 * @partial:	the finished .partial file; removed on success
 *
 * Return: as out_write_file(); on failure @partial still exists.
 */
int out_finish(const struct out_format *format, const char *partial, const char *path,
	       struct out_owner owner);

/*
 * For formats that consist of lines: calls @line for each line, and passes the line without the
 * newline.
 */
int out_each_line(struct prof_reader *in, int (*line)(void *sink, const char *text, size_t len),
		  void *sink);

/* A line function for out_each_line() that writes the line and a newline to a FILE *. */
int out_put_line(void *stream, const char *text, size_t len);
