/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The files of one recording. Lines are appended to a hidden partial beside the
 * first file; at the end every output is made from it, whole or not at all.
 */

#include <limits.h>
#include <stdio.h>

#include "../cli/record_options.h"
#include "../out/out.h"
#include "../out/stream.h"

struct output {
	char path[PATH_MAX]; /* final name; "-": standard output */
	const struct out_format *format;
};

struct outputs {
	struct output v[RECORD_MAX_OUTPUTS];
	size_t n;
	bool has_stdout;
	char partial_path[PATH_MAX];
	FILE *partial; /* open for reading and writing */
	struct out_owner owner;
	u32 n_copies; /* made so far */
};

/**
 * outputs_check() - are the formats known and the names possible?
 *
 * Return: a CLI exit status; what is wrong has been said.
 */
int outputs_check(struct outputs *o, const struct record_options *options);

/**
 * outputs_open() - name what has no name, and create the partial
 * @name:	of the target; any bytes
 * @pid:	of the target, 0: several
 *
 * Return: a CLI exit status; what is wrong has been said.
 */
int outputs_open(struct outputs *o, const char *name, u32 pid);

/**
 * outputs_finish() - make every output from the finished partial, which then goes
 * @stop:	ends the writing to a pipe that nobody reads
 *
 * Return: a CLI exit status; what is wrong has been said, and the partial is still there.
 */
int outputs_finish(struct outputs *o, const struct out_stop *stop);

/* A copy of the profile so far beside the first output: FILE-1.ndjson, FILE-2.ndjson, ... */
int outputs_copy(struct outputs *o, int (*write)(void *data, FILE *to), void *data);

/**
 * outputs_name() - a name for a file beside the first output
 * @n:		number in it
 * @end:	its suffix
 *
 * Beside a pipe there is no room: then it is where files may be made.
 *
 * Return: 0 or -ENAMETOOLONG.
 */
int outputs_name(const struct outputs *o, u32 n, const char *end, char *path, size_t len);

/* Nothing was recorded: removes the partial. */
void outputs_discard(struct outputs *o);
void outputs_deinit(struct outputs *o);
