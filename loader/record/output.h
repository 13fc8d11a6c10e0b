/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The output files of a recording. Lines are appended to a hidden .partial file beside the
 * first output. At the end, each output is made from the .partial file, atomically.
 */

#include <limits.h>
#include <stdio.h>

#include "../cli/record_options.h"
#include "../out/out.h"
#include "../out/stream.h"
#include "../sourcemap/deferred_maps.h"

struct output {
	char path[PATH_MAX]; /* final name; "-": standard output */
	const struct out_format *format;
};

struct outputs {
	struct output v[RECORD_MAX_OUTPUTS];
	size_t n;
	bool has_stdout;
	bool quiet; /* don't print what the formats omit */
	bool is_default; /* Unspool chose the name of the only output, so it must be new */
	char partial_path[PATH_MAX];
	bool is_hidden; /* the .partial file has no name */
	FILE *partial; /* the .partial file, open for reading and writing */
	struct out_owner owner;
	struct deferred_maps *maps; /* source maps of the recorded scripts */
	u32 n_copies; /* number of the last copy */
};

/**
 * outputs_check() - check the formats and the names
 *
 * Return: a CLI exit status; errors have been printed.
 */
int outputs_check(struct outputs *o, const struct record_options *options);

/**
 * outputs_open() - set the default name and create the .partial file
 * @name:	name of the target; any bytes
 * @pid:	pid of the target; 0: several targets
 *
 * Return: a CLI exit status; errors have been printed.
 */
int outputs_open(struct outputs *o, const char *name, u32 pid);

/**
 * outputs_finish() - make every output from the .partial file and remove it
 * @stop:	condition that cancels a blocked write to a pipe
 *
 * Return: a CLI exit status; errors have been printed. On failure the .partial file remains.
 */
int outputs_finish(struct outputs *o, const struct out_stop *stop);

/*
 * Writes a copy of the profile recorded so far beside the first output: FILE-1.ndjson,
 * FILE-2.ndjson, ... Stores the name in @path, which has PATH_MAX bytes.
 */
int outputs_copy(struct outputs *o, int (*write)(void *data, FILE *to), void *data, char *path);

/**
 * outputs_beside() - write a file beside the first output: FILE-1.fr, FILE-2.fr, ...
 * @n:		number of the last such file; incremented
 * @end:	suffix of the file
 * @path:	PATH_MAX bytes, receives the path
 *
 * If the first output is a pipe, the file is in place_dir(). If Unspool chose the name of the first
 * output, numbers of existing files are left out.
 *
 * Return: 0 or a negative errno.
 */
int outputs_beside(const struct outputs *o, const struct out_job *job, u32 *n, const char *end,
		   char *path);

/* Opens the .partial file; frames that are read have the positions in their sources. */
int outputs_read(const struct outputs *o, struct prof_reader **in);

/* Removes the name of the .partial file, so that the file ends with the process. */
void outputs_hide(struct outputs *o);

/* Removes the .partial file of a recording without samples. */
void outputs_discard(struct outputs *o);
void outputs_deinit(struct outputs *o);
