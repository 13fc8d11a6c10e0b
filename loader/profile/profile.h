/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The profile during recording: interns frames and stacks, counts, and appends JSON
 * lines to a stream (the .partial file). Its memory is bounded: full intern tables are
 * emptied while ids keep increasing, so a later line may define the same frame again.
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
 * @out:	borrowed; must stay open until profile_free(); must be readable
 *		("w+") for profile_copy()
 *
 * Return: 0 or a negative errno (-ENOMEM, or that of the first write).
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
 * Each of these returns 0 or a negative errno; ids start at 1. The first failed write
 * (or allocation for it) is final: every later call returns its error, because lines
 * that later lines refer to may be missing.
 */

/**
 * profile_frame() - the id of a frame; writes a new frame
 * @id:		valid until 2^20 newer frame ids are assigned (at PROF_BUDGET). A caller
 *		that stores ids must call this again when profile_stack() returns
 *		-ESTALE.
 */
int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id);

/**
 * profile_stack() - the id of a stack; writes a new stack
 * @id:		for samples that follow immediately; call this again for later ones
 *
 * Return: 0, -E2BIG for more than PROF_MAX_FRAMES frames, -ESTALE for a frame id that
 * is too old, -EINVAL for a frame id that was never assigned or for a status that a
 * stack can't have (UW_F_*), or the error of a write.
 */
int profile_stack(struct profile *p, const struct prof_stack *s, u32 *id);

/* Both first write the pending samples, which belong to the previous process or thread. */
int profile_process(struct profile *p, const struct prof_process *proc);
int profile_thread(struct profile *p, u32 pid, u32 tid, const char *name);

/**
 * profile_sample() - count one sample
 * @t_us:	microseconds since the start
 * @activity:	of the process, as the recorder knows it; usually that of the leaf's kind
 * @unresolved: the target ended before its frames could be named
 *
 * Samples stay pending until profile_flush(), which writes one line per (pid, tid,
 * stack). This function calls it when enough samples are pending.
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
 * profile_copy() - write a complete profile of the recording so far
 * @to:		gets the bytes of the profile's stream and a summary
 *
 * The recording continues.
 *
 * Return: 0 or a negative errno: -EBADF when the stream can't be read.
 */
int profile_copy(struct profile *p, const struct prof_totals *totals, FILE *to);

/* 0, or the error of the first failed write, after which the file is incomplete. */
int profile_error(const struct profile *p);

/* Numbers for the progress line. */
u64 profile_n_samples(const struct profile *p);
u64 profile_n_complete(const struct profile *p);
