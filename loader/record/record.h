/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A recording: its options, components and state. */

#include "../../inspect/util/cli.h"
#include "../cli/record_options.h"
#include "../flight/recorder.h"
#include "../session/session.h"
#include "../targets/command.h"
#include "../targets/procs.h"
#include "../targets/target_set.h"
#include "output.h"

/*
 * Shows a recording while it runs, instead of the progress line. The recording then writes no
 * output at its end; recording_copy() writes the profile recorded so far.
 */
struct recording_view {
	void (*begin)(void *data); /* before the loop */
	void (*end)(void *data); /* after the loop */
	void (*on_tick)(void *data); /* at least every SESSION_TICK_MS */
	void (*on_second)(void *data, u64 now_ns); /* after the profile was flushed */
	void *data;
};

struct recording {
	struct record_options options;
	struct target_set targets;
	struct outputs outputs;
	struct command command;
	struct sampler *sampler;
	struct recorder *flight; /* NULL: the kernel does not support it */
	u32 n_dumps; /* number of the last dump of the flight recorder */
	struct session *session;
	struct profile *profile;
	const struct recording_view *view; /* NULL: none */
	char name[PROC_NAME_LEN]; /* of the target */
	u32 pid; /* pid of the only target; 0: several targets */
	u64 cpu_first_ns, cpu_last_ns; /* of pid; reported when there are no samples */
	int signal_fd;
	u64 profile_ns; /* CLOCK_MONOTONIC when the profile's header was written */
	struct {
		u64 samples, lost, lost_events;
	} earlier; /* counts of what recording_begin_again() discarded */
	u64 start_ns, stop_ns, flushed_ns; /* stop_ns is 0 during the recording */
	bool command_alone; /* COMMAND is the only target: exit with the status of COMMAND */
	bool command_ran;
	bool mutes_command; /* COMMAND has no terminal */
	int command_status;
	bool stop, interrupted;
	u64 interrupt_ns; /* time of the Ctrl-C that COMMAND also received; 0: none */
	struct ids followed; /* --follow: processes that had the names at the previous scan */
	u32 n_stops; /* number of signals received that ask for the end */
	int err; /* error of the first failed write of the profile */
};

/* Makes a recording without options. NULL: out of memory. Free with recording_free(). */
struct recording *recording_new(void);
void recording_free(struct recording **r);

/* Records as r->options says. Returns the exit status; errors have been printed. */
int recording_run(struct recording *r);

/* Handles signals, events and samples until the recording ends; errors are in r->err. */
void recording_loop(struct recording *r);

/* Counts of the recording so far. */
struct prof_totals recording_totals(const struct recording *r);

/*
 * Writes the profile recorded so far beside the first output. @path: PATH_MAX bytes, receives the
 * file's name. Return: 0 or a negative errno.
 */
int recording_copy(struct recording *r, char *path);

/**
 * recording_begin_again() - discard what was recorded, and continue
 *
 * Call it after the profile was flushed. Limits the size of a recording without an end.
 *
 * Return: 0 or a negative errno of the profile.
 */
int recording_begin_again(struct recording *r);

/* Updates the flight recorder, and writes a dump if the flight recorder froze. */
void recording_tick_flight(struct recording *r, bool is_last);

/* Return: whether another signal arrived after the recording ended by a signal or by -d. */
bool recording_is_stop_asked(void *data);

/* Return: whether there are few enough targets to read them all before their first sample. */
bool recording_is_eager(const struct recording *r);

/*
 * Performs all steps before the first sample. Returns a CLI exit status; errors have been
 * printed.
 */
int recording_start(struct recording *r);

/*
 * Session callback: makes a case of the stack that froze the flight recorder, and adds the case to
 * the recorder's dumps.
 */
void recording_take_frozen(const struct session_stack *stack, void *data);

/* Starts COMMAND. Ends the recording and writes the outputs; returns a CLI exit status. */
int recording_run_command(struct recording *r);

/* Checks whether COMMAND has ended. */
void recording_check_command(struct recording *r);

/*
 * Records processes that have got a name of -p since the last call. Return: 0 or a negative errno.
 */
int recording_follow(struct recording *r);

/*
 * Prints a hint if COMMAND is only the name of a runtime, or a runtime followed by an option of
 * `unspool record`.
 */
void recording_hint_runtime(const struct record_options *o);

/* Prints that events of a CPU are missing, even with -q. */
void recording_print_unheard(const struct recording *r);

/* Prints the files for which names of some functions, or some lines, are missing; not with -q. */
void recording_print_problems(const struct recording *r);

/**
 * recording_end_command() - end the COMMAND that the recording started
 *
 * Descendants are terminated too, unless they left COMMAND's process group.
 * After Ctrl-C the terminal has already signalled the whole group.
 */
void recording_end_command(struct recording *r);
