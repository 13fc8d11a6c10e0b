/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The state of a session. session.c begins and ends a session; the other files do the work of each
 * tick.
 */

#include "../process/cpus.h"
#include "../process/processes.h"
#include "../process/sideband.h"
#include "../rows/row_filler.h"
#include "metadata_writer.h"
#include "image.h"
#include "naming.h"
#include "pending.h"
#include "session.h"

struct session {
	struct session_config config;
	struct sideband *sideband;
	int cpus_fd; /* reports CPUs that come online; negative: none */
	u32 n_unheard; /* CPUs that could not be monitored */
	int unheard_err; /* the error for the last such CPU */
	struct processes *processes;
	struct tables *tables;
	struct modules *modules;
	struct kallsyms *kallsyms;
	struct images images;
	struct row_filler *rows;
	u64 prefill_ns; /* CPU time left for rows before the first sample */
	struct naming *naming;
	struct metadata_writer *metadata;
	struct pending pending;
	struct uw_sample confirmed; /* buffer for a sample to which confirm_guesses() adds a
				     * caller */
	u32 *changed; /* pids whose image has changed since the last tick */
	u32 n_changed, cap_changed;
	u32 first_target;
	u64 tick_ns; /* CLOCK_MONOTONIC: when this tick began */
	u64 early_ns; /* all samples before this time were handled early (session_handle_early()) */
	u64 reaped_ns, resynced_ns;
	u64 blocked_left_ns; /* time for which this tick may still wait for lines */
	bool must_resync; /* events were lost, and since then /proc has not been read */
};

#define MSEC 1000000ull

/* The image of a process, which is made on first use; NULL if out of memory. */
struct image *session_image_of(struct session *s, struct process *p);

/* Marks an image whose tables must be updated; @im may be NULL. */
void session_mark_changed(struct session *s, struct image *im);
void session_update_changed(struct session *s);

/* Handles new samples early (early.c), at most until the deadline. */
void session_handle_early(struct session *s, u64 deadline_ns);

/* Handles an event. All samples before an exec must have been handled. */
void session_on_event(struct session *s, const struct process_event *ev);

/* If events were lost, reads all of /proc, but only rarely, because this can take long. */
void session_resync(struct session *s);
