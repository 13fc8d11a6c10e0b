/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The flight recorder of a recording: its rings, what freezes them, and dumps of them.
 *
 *	kernel -> rings -> here: counts of nanoseconds, freezing, dumps
 *	                -> `unspool flight`, where they are pinned
 */

#include "../../core/types.h"
#include "../../inspect/flight/fl_dump.h"
#include "../profile/profile.h"

#define RECORDER_SLOTS 1024 /* of each CPU's ring: 64 KiB */
#define RECORDER_PINNED_SLOTS 16384 /* with --flight: 1 MiB */

struct recorder;
struct sampler;

struct recorder_config {
	bool is_pinned; /* so that `unspool flight` finds it */
	u64 freeze_on; /* bits of enum uw_status: a walk that ends so freezes its CPU's ring */
	bool freezes_on_loss; /* all rings, when samples are lost */
	bool has_cases; /* recorder_add_case() follows each ring that a walk freezes */
	u32 pid; /* walks of this process only; 0: of all */
};

/**
 * recorder_new() - take the rings of a sampler that has not started
 * @s:		borrowed
 * @out:	NULL where the kernel gives no rings: there is nothing to record with then
 * @why:	@why_len bytes: on failure, one line for people
 *
 * Return: 0 or a negative errno.
 */
int recorder_new(struct recorder **out, const struct sampler *s, const struct recorder_config *c,
		 char *why, size_t why_len);

/* What was pinned is removed. NULL is fine. */
void recorder_free(struct recorder **r);

/**
 * recorder_add_case() - the walk that froze a ring, for dumps from now on
 * @c:		bytes: taken over; or why_not
 *
 * The process changes, so what it read has to be kept at once.
 */
void recorder_add_case(struct recorder *r, const struct fl_case *c);

/* How many of the frozen walks there are as cases. */
u32 recorder_n_cases(const struct recorder *r);

/**
 * recorder_tick() - take in what was recorded
 * @n_lost:	samples lost so far
 * @is_last:	no case will come any more
 *
 * Return: true when rings have frozen, and their cases have come or do not, so that a dump is due.
 */
bool recorder_tick(struct recorder *r, u64 n_lost, bool is_last);

/* Rings and cases, as a file. For struct out_job; @recorder: struct recorder. */
int recorder_dump(void *recorder, FILE *to);

/* Of walks that were recorded. */
const struct prof_walks *recorder_walks(const struct recorder *r);
