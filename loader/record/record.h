/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One recording: its options, components and state. */

#include "../../inspect/util/cli.h"
#include "../cli/record_options.h"
#include "../flight/recorder.h"
#include "../session/session.h"
#include "../targets/command.h"
#include "../targets/procs.h"
#include "../targets/target_set.h"
#include "output.h"

struct recording {
	struct record_options options;
	struct target_set targets;
	struct outputs outputs;
	struct command command;
	struct sampler *sampler;
	struct recorder *flight; /* NULL: the kernel does not support it */
	u32 n_dumps; /* dumps of the flight recorder so far */
	struct session *session;
	struct profile *profile;
	char name[PROC_NAME_LEN]; /* of the target */
	u32 pid; /* of the target; 0: multiple targets */
	u64 cpu_first_ns, cpu_last_ns; /* CPU time of pid, reported when there are no samples */
	int signal_fd;
	u64 profile_ns; /* CLOCK_MONOTONIC when the profile's header was written */
	u64 start_ns, stop_ns, flushed_ns; /* stop_ns is 0 during the recording */
	bool command_alone; /* COMMAND is the only target: exit with its status */
	bool command_ran;
	int command_status;
	bool stop, interrupted;
	u32 n_stops; /* signals received that ask for the end */
	int err; /* first error of the profile */
};

/* Are there few enough targets to read them before their first sample? */
bool recording_is_eager(const struct recording *r);

/* Runs all steps before the first sample. Returns a CLI exit status; errors have been reported. */
int recording_start(struct recording *r);

/* Session callback: adds the stack that froze the flight recorder to its dumps as a case. */
void recording_take_frozen(const struct session_stack *stack, void *data);

/* Starts COMMAND. Returns a CLI exit status. */
int recording_run_command(struct recording *r);

/* Checks whether COMMAND has ended. */
void recording_check_command(struct recording *r);

/**
 * recording_end_command() - end the COMMAND that the recording started
 *
 * Descendants are terminated too, unless they left COMMAND's process group.
 * After Ctrl-C the terminal has already signalled the whole group.
 */
void recording_end_command(struct recording *r);
