/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A running recording. A session merges samples and process events in order of time.
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

struct deferred_maps;
struct process;
struct processes;
struct session_stack;
struct module_info;

struct session_config {
	struct sampler *sampler; /* borrowed, not started */
	struct profile *profile; /* borrowed */
	struct deferred_maps *maps; /* receives the source maps of scripts, borrowed; NULL: not
				     * wanted */
	u64 start_ns; /* CLOCK_MONOTONIC: time 0 of the profile */
	bool fetches; /* fetch debug files from servers (debuginfod.h) */
	bool wants_async; /* look for awaiters */
	bool eager; /* there are few targets, so each is read before its first sample */
	/* Called with each sample that belongs to the current image of its process. Optional. */
	void (*on_stack)(const struct session_stack *stack, void *data);
	void *data;
};

/* A sample and its context, all borrowed. */
struct session_stack {
	const struct uw_sample *sample;
	struct process *process;
	struct image *image;
	struct naming *naming;
	struct modules *modules;
	const struct row_filler *rows;
};

/**
 * session_new() - start to follow processes
 * @s:		new session, free with session_free()
 * @why:	@why_len bytes, receives a message of one line on failure
 */
int session_new(struct session **s, const struct session_config *config, char *why, size_t why_len);
void session_free(struct session **s);

/**
 * session_add_target() - record a process, and all children that it creates from now on
 * @known_ns:	the process has started by then (CLOCK_BOOTTIME); NEVER_NS: any process with this
 * pid
 *
 * Return: 0, -ESRCH (the process has ended; another process may have its pid), -EACCES, -ENOSPC,
 *         -ENOMEM.
 */
int session_add_target(struct session *s, u32 pid, u64 known_ns);

/**
 * session_add_command() - as session_add_target(), for a process that is about to execute @name
 *
 * Finds the program as execvp() does, and reads the program and the C library before they are
 * executed.
 */
int session_add_command(struct session *s, u32 pid, const char *name);

/*
 * A descriptor. Wait until the descriptor is readable, but at most SESSION_TICK_MS; then call
 * session_tick().
 */
#define SESSION_TICK_MS 10
int session_fd(const struct session *s);

/**
 * session_tick() - handle events and samples
 * @last:	sampling has ended, so handle all remaining events and samples
 *
 * Takes at most 150 ms, unless events were lost; the last tick takes at most 10 s. Samples that
 * remain after the last tick are dropped and counted.
 *
 * Return: 0; 1 if work remains, so do not wait before the next tick; or a negative errno of the
 * profile (no space left, ...).
 */
int session_tick(struct session *s, bool last);

/**
 * session_begin_again() - let the times of samples count from another time
 *
 * The caller then calls profile_begin_again().
 *
 * Return: the new time 0 of the profile (CLOCK_MONOTONIC): now, or the time of the oldest sample
 * that waits to be named.
 */
u64 session_begin_again(struct session *s);

/* The targets and their children. processes_resync() may be called when ticks have ended. */
struct processes *session_processes(const struct session *s);

/* The name and runtime of a target, for the progress line; NULL: no name is known. */
const char *session_target_name(const struct session *s, const char **runtime);

struct session_counts {
	u64 n_lost_events; /* number of lost side-band records; if it is not 0, some processes may
			    * be unknown */
	u64 n_dropped; /* samples dropped for lack of memory or time */
	u64 helper_cpu_ns; /* CPU time of processes that the session has started */
	u32 n_unheard; /* CPUs that came online and could not be sampled or monitored */
	int unheard_err; /* the error for the last such CPU */
	struct row_counts rows; /* of unwind rows */
};

struct session_counts session_counts(const struct session *s);

/*
 * Reports runtimes and modules whose functions lack names or lines (images_each_doubt(),
 * modules_each_problem()).
 */
void session_each_problem(const struct session *s,
			  void (*on_runtime)(const char *runtime, const char *why, void *data),
			  void (*on_module)(const struct module_info *info, const char *why,
					    void *data),
			  void *data);
