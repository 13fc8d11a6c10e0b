/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A recording while it runs: brings samples and the life of processes together in
 * the order of time.
 *
 *	sampler   -- samples --+
 *	                       +--> by time --> process, image --> naming --> profile
 *	sideband  -- events ---+                     |
 *	                                             +--> tables of the kernel side
 */

#include "../../core/types.h"
#include "../profile/profile.h"
#include "../rows/row_filler.h"
#include "../sample/sampler.h"

struct session;

struct process;
struct processes;
struct session_stack;
struct module_info;

struct session_config {
	struct sampler *sampler; /* borrowed, not started */
	struct profile *profile; /* borrowed */
	u64 start_ns; /* CLOCK_MONOTONIC: time 0 of the profile */
	bool fetches; /* debug files from servers: see debuginfod.h */
	bool wants_async; /* functions that wait for what runs */
	bool eager; /* the targets are few: know them before their first sample */
	/* Gets each sample that is known to be of its process's image; NULL: nobody asks. */
	void (*on_stack)(const struct session_stack *stack, void *data);
	void *data;
};

/* A sample, and what belongs to it. All borrowed. */
struct session_stack {
	const struct uw_sample *sample;
	struct process *process;
	struct image *image;
	struct naming *naming;
	struct modules *modules;
	const struct row_filler *rows;
};

/**
 * session_new() - begin to follow processes
 * @s:		new session, free with session_free()
 * @why:	@why_len bytes: on failure, one line for people
 */
int session_new(struct session **s, const struct session_config *config, char *why, size_t why_len);
void session_free(struct session **s);

/**
 * session_add_target() - a process to record, with all its children from now on
 *
 * Return: 0, -ESRCH, -EACCES, -ENOSPC, -ENOMEM.
 */
int session_add_target(struct session *s, u32 pid);

/**
 * session_add_command() - the same for a process that is about to execute @name
 *
 * Learns the file, looked for as execvp() does, and the C library before it runs. What the
 * process is until then is of no interest.
 */
int session_add_command(struct session *s, u32 pid, const char *name);

/* Wait for this to become readable, SESSION_TICK_MS at most, then call session_tick(). */
#define SESSION_TICK_MS 10
int session_fd(const struct session *s);

/**
 * session_tick() - handle what has happened
 * @last:	sampling has ended: leave nothing for later
 *
 * It takes 150 ms at most, unless events were lost; the last one 10 s. Samples for which there is
 * no time then are dropped, and counted.
 *
 * Return: 0, 1 when there was more to do than time: do not wait before the next tick, or a negative
 * errno of the profile (no space left, ...).
 */
int session_tick(struct session *s, bool last);

/* The targets and their children. processes_resync() may be called when ticks have ended. */
struct processes *session_processes(const struct session *s);

/* The name and runtime of a target, for the progress line; NULL: none known. */
const char *session_target_name(const struct session *s, const char **runtime);

struct session_counts {
	u64 n_lost_events; /* side-band records: processes may have gone unnoticed */
	u64 n_dropped; /* samples, for want of memory or time */
	u64 helper_cpu_ns; /* of the processes that the session has started */
	u32 n_unheard; /* times a CPU came back, and is neither sampled nor listened to any more */
	int unheard_err; /* why, the last time */
	struct row_counts rows; /* what became of unwind rows */
};

struct session_counts session_counts(const struct session *s);

/*
 * Runtimes and modules whose functions lack names or lines: see images_each_doubt() and
 * modules_each_problem().
 */
void session_each_problem(const struct session *s,
			  void (*on_runtime)(const char *runtime, const char *why, void *data),
			  void (*on_module)(const struct module_info *info, const char *why,
					    void *data),
			  void *data);
