/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a session is made of, for session.c (its beginning and end) and what it does in each tick.
 */

#include "../process/cpus.h"
#include "../process/processes.h"
#include "../process/sideband.h"
#include "../rows/row_filler.h"
#include "announce.h"
#include "image.h"
#include "naming.h"
#include "pending.h"
#include "session.h"

struct session {
	struct session_config config;
	struct sideband *sideband;
	int cpus_fd; /* where it is told that CPUs come back; negative: nowhere */
	u32 n_unheard; /* times that listening to one of them anew failed */
	int unheard_err; /* why, the last time */
	struct processes *processes;
	struct tables *tables;
	struct modules *modules;
	struct kallsyms *kallsyms;
	struct images images;
	struct row_filler *rows;
	u64 prefill_ns; /* that is left for rows before the first sample */
	struct naming *naming;
	struct announcer *announcer;
	struct pending pending;
	struct uw_sample confirmed; /* room for a sample with a caller that rows tell of late */
	u32 *changed; /* pids whose image has changed since the last tick */
	u32 n_changed, cap_changed;
	u32 first_target;
	u64 tick_ns; /* CLOCK_MONOTONIC: when this tick began */
	u64 met_ns; /* the process of each sample before this was looked at */
	u64 reaped_ns, resynced_ns;
	u64 blocked_left_ns; /* how long this tick may still wait for lines */
	bool must_resync; /* events were lost, /proc was not yet asked about them */
};

#define MSEC 1000000ull

/* The process's image, made if need be; NULL without memory. */
struct image *session_image_of(struct session *s, struct process *p);

/* The kernel side's tables are to be brought up to date; @im may be NULL. */
void session_mark_changed(struct session *s, struct image *im);
void session_update_changed(struct session *s);

/* Looks at samples for the first time, until there is no time left. */
void session_meet_new(struct session *s, u64 deadline_ns);

/* An event up to which all samples are handled, if it is an exec. */
void session_on_event(struct session *s, const struct process_event *ev);

/* If events were lost, asks /proc; that can take long, so not often. */
void session_resync(struct session *s);
