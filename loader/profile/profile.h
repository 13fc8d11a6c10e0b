/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The profile while it is recorded: interns frames and stacks, counts, and
 * appends JSON lines to a stream (the .partial file). What is in memory is
 * bounded: when the intern tables are full they are emptied and ids go on, so a
 * later line may define the same frame anew.
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
 * profile_new() - start a profile that is appended to @out
 * @profile:	the new profile, free with profile_free()
 * @out:	borrowed; must stay open until profile_free(); opened for reading
 *		too ("w+") when profile_copy() is to work
 *
 * Return: 0 or a negative errno (-ENOMEM, or that of the first write).
 */
int profile_new(struct profile **profile, FILE *out, const struct prof_header *header);
void profile_free(struct profile **profile);

/**
 * profile_set_budget() - how many bytes the profile may hold, PROF_BUDGET unless told
 *
 * To be called before the first frame; at least PROF_MIN_BUDGET.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int profile_set_budget(struct profile *p, size_t bytes);

/*
 * Each of these: 0 or a negative errno; ids are 1-based. The first failed write
 * (and lack of memory in one) is final: it is returned by every call from then
 * on, because lines that later ones refer to may be missing.
 */

/**
 * profile_frame() - the id of a frame, which is written if it is new
 * @id:		stays good while less than 2^20 younger frame ids are given out (at
 *		PROF_BUDGET): a caller that keeps ids must ask anew when
 *		profile_stack() says -ESTALE
 */
int profile_frame(struct profile *p, const struct prof_frame *f, u32 *id);

/**
 * profile_stack() - the id of a stack, which is written if it is new
 * @id:		for the samples that follow at once; ask anew for later ones
 *
 * Return: 0, -E2BIG for more than PROF_MAX_FRAMES frames, -ESTALE for a frame id
 * that is too old, -EINVAL for one that was never given out or for a status that
 * is not a stack's (UW_F_*), or the error of a write.
 */
int profile_stack(struct profile *p, const struct prof_stack *s, u32 *id);

/* Both write the samples kept so far first: those belong to what was there before. */
int profile_process(struct profile *p, const struct prof_process *proc);
int profile_thread(struct profile *p, u32 pid, u32 tid, const char *name);

/**
 * profile_sample() - count one sample
 * @t_us:	microseconds since the start
 * @activity:	what the recorder knows the process to do; of the leaf's kind as a rule
 * @unresolved: the target died before its frames could be named
 *
 * Samples are kept back and written as one line a (pid, tid, stack) by
 * profile_flush(), which this calls when it has kept enough.
 *
 * Return: 0, -ESTALE or -EINVAL for a stack id as profile_stack() has them for
 * frames, or the error of a write.
 */
int profile_sample(struct profile *p, u32 pid, u32 tid, u32 stack, u64 t_us,
		   enum prof_activity activity, bool unresolved);

/* Writes the samples kept so far and flushes the stream. */
int profile_flush(struct profile *p);

/* Writes samples and the summary line and flushes the stream. Call once, at the end. */
int profile_finish(struct profile *p, const struct prof_totals *totals);

/**
 * profile_copy() - write a complete profile of what was seen so far
 * @to:		gets the bytes of the profile's stream and a summary
 *
 * The profile goes on as if nothing had happened.
 *
 * Return: 0 or a negative errno: -EBADF when the stream can't be read.
 */
int profile_copy(struct profile *p, const struct prof_totals *totals, FILE *to);

/* 0, or the first failed write: from then on the file is cut, its summary would lie. */
int profile_error(const struct profile *p);

/* Figures for the progress line. */
u64 profile_n_samples(const struct profile *p);
u64 profile_n_complete(const struct profile *p);
