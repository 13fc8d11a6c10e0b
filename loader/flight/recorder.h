/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The flight recorder of a recording: its rings, the conditions that freeze them, and dumps.
 *
 *	kernel -> rings -> here: histograms of times, freezing, dumps
 *	                -> `unspool flight`, if the rings are pinned
 */

#include "../../core/types.h"
#include "../../inspect/flight/fl_dump.h"
#include "../profile/profile.h"

#define RECORDER_SLOTS 1024 /* per CPU: 64 KiB */
#define RECORDER_PINNED_SLOTS 16384 /* with --flight: 1 MiB */

struct recorder;
struct sampler;

struct recorder_config {
	bool is_pinned; /* the rings are pinned, so that `unspool flight` can find them */
	u64 freeze_on; /* bits of enum uw_status: a walk with such a status freezes its CPU's ring
			*/
	bool freezes_on_loss; /* a loss of samples freezes all rings */
	bool has_cases; /* recorder_add_case() is called for each ring that a walk freezes */
	u32 pid; /* record only walks of this process; 0: all processes */
};

/**
 * recorder_new() - create a recorder on the rings of a sampler that is not yet started
 * @s:		borrowed
 * @out:	NULL if the kernel refuses the rings, so that nothing can be recorded
 * @why:	@why_len bytes; on failure, a one-line error message
 *
 * Return: 0 or a negative errno.
 */
int recorder_new(struct recorder **out, const struct sampler *s, const struct recorder_config *c,
		 char *why, size_t why_len);

/* Frees the recorder and removes its pins. NULL is fine. */
void recorder_free(struct recorder **r);

/**
 * recorder_add_case() - add a case, whose walk froze a ring, to all later dumps
 * @c:		has either the bytes of the case, of which this function takes ownership, or
 *		why_not
 *
 * Call it as soon as the sample arrives, before the memory that the walk read changes.
 */
void recorder_add_case(struct recorder *r, const struct fl_case *c);

/* Return: the number of walks that froze a ring and have a case. */
u32 recorder_n_cases(const struct recorder *r);

/**
 * recorder_tick() - read the rings and check for freezes
 * @n_lost:	samples lost so far
 * @is_last:	the recording has ended, so no more cases will be added
 *
 * Return: whether a dump is due: rings have frozen, and no case is outstanding.
 */
bool recorder_tick(struct recorder *r, u64 n_lost, bool is_last);

/*
 * Writes rings and cases to a file. A write() for struct out_job; @recorder is a struct
 * recorder.
 */
int recorder_dump(void *recorder, FILE *to);

/* Return: histograms of the times of recorded walks. */
const struct prof_walks *recorder_walks(const struct recorder *r);
