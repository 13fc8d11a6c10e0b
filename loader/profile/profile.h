/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The profile during recording: interns frames and stacks, counts, and appends JSON lines to
 * a stream (the .partial file). Its memory is bounded: when an intern table is full, the
 * table is emptied, but ids keep increasing. Therefore a later line may define the same
 * frame again with a new id.
 *
 * Line types and keys: docs/reference/profile.md.
 */

#include <stdio.h>

#include "../../core/types.h"
#include "profile_types.h"

#define PROF_BUDGET (16u << 20)
#define PROF_MIN_BUDGET (2u << 20)

struct profile;

/**
 * profile_new() - start a profile on a stream
 * @profile:	the new profile, free with profile_free()
 * @out:	borrowed until profile_free(); profile_copy() needs a readable stream ("w+")
 *
 * Return: 0 or a negative errno (-ENOMEM, or the error of the first write).
 */
int profile_new(struct profile **profile, FILE *out, const struct prof_header *header);
void profile_free(struct profile **profile);

/**
 * profile_set_budget() - set the profile's maximum memory in bytes (default: PROF_BUDGET)
 *
 * Call it before the first frame; the minimum is PROF_MIN_BUDGET.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int profile_set_budget(struct profile *p, size_t bytes);

/*
 * Each of these returns 0 or a negative errno; ids start at 1. After the first failed write
 * or allocation, every later call returns that error, because the failed line is missing and
 * later lines may refer to it.
 */

/**
 * profile_frame() - get the id of a frame; writes a line for a new frame
 * @id:		valid until 2^20 newer frame ids are assigned (at PROF_BUDGET). A caller
 *		that stores ids must call this again when profile_stack() returns
 *		-ESTALE.
 */
int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id);

/**
 * profile_stack() - get the id of a stack; writes a line for a new stack
 * @id:		use it only for samples that follow immediately; for later samples, call this
 *		function again
 *
 * Return: 0, -E2BIG for more than PROF_MAX_FRAMES frames, -ESTALE for a frame id that
 * is too old, -EINVAL for a frame id that was never assigned or for a status that a
 * stack can't have (UW_F_*), or the error of a write.
 */
int profile_stack(struct profile *p, const struct prof_stack *s, u32 *id);

/*
 * Both functions first write all pending samples, because these belong to the previous
 * process or thread. The name of a thread is NULL if it is unknown.
 */
int profile_process(struct profile *p, const struct prof_process *proc);
int profile_thread(struct profile *p, u32 pid, u32 tid, const char *name);

/**
 * profile_sample() - count one sample
 * @t_us:	microseconds since the start
 * @activity:	activity of the process; usually, the kind of the leaf implies the activity
 * @unresolved: the target ended before its frames could be named
 *
 * Samples stay pending until profile_flush(), which writes one line per (pid, tid, stack).
 * When enough samples are pending, profile_sample() itself calls profile_flush().
 *
 * Return: 0, -ESTALE or -EINVAL for a stack id as for frame ids in profile_stack(), or
 * the error of a write.
 */
int profile_sample(struct profile *p, u32 pid, u32 tid, u32 stack, u64 t_us,
		   enum prof_activity activity, bool unresolved);

/* Writes the pending samples and flushes the stream. */
int profile_flush(struct profile *p);

/* Writes the pending samples and the summary line, and flushes the stream. Call once. */
int profile_finish(struct profile *p, const struct prof_totals *totals);

/**
 * profile_copy() - write a copy of the profile with a summary of the recording so far
 * @to:		stream that receives the copy
 *
 * The recording continues.
 *
 * Return: 0 or a negative errno: -EBADF when the stream can't be read.
 */
int profile_copy(struct profile *p, const struct prof_totals *totals, FILE *to);

/**
 * profile_begin_again() - discard all lines and samples, and write a new header
 *
 * The stream must be a regular file. Earlier ids are stale from now on; the lines of processes and
 * threads must be written again before their next samples.
 *
 * Return: 0 or a negative errno.
 */
int profile_begin_again(struct profile *p, const struct prof_header *header);

/* Returns 0, or the error of the first failed write, after which the file is incomplete. */
int profile_error(const struct profile *p);

/* Counts for the progress line. */
u64 profile_n_samples(const struct profile *p);
u64 profile_n_complete(const struct profile *p);
