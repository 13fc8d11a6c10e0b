/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One recording: what it was asked for, what it is made of, how it stands. */

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
	struct recorder *flight; /* NULL: the kernel gives none */
	u32 n_dumps; /* of it */
	struct session *session;
	struct profile *profile;
	char name[PROC_NAME_LEN]; /* of the target */
	u32 pid; /* of the target, 0: several */
	u64 cpu_first_ns, cpu_last_ns; /* CPU time of pid, for when there is no sample */
	int signal_fd;
	u64 profile_ns; /* CLOCK_MONOTONIC at the time that the profile's header has */
	u64 start_ns, stop_ns, flushed_ns; /* stop_ns: 0 while it records */
	bool command_alone; /* its status is passed on */
	bool command_ran;
	int command_status;
	bool stop, interrupted;
	u32 n_stops; /* signals that ask for the end */
	int err; /* of the profile */
};

/* Are the targets few, so that they are known before their first sample? */
bool recording_is_eager(const struct recording *r);

/* Everything up to the first sample. A CLI exit status; what is wrong has been said. */
int recording_start(struct recording *r);

/* For sessions: a stack whose walk froze the flight recorder becomes a case in its dumps. */
void recording_take_frozen(const struct session_stack *stack, void *data);

/* COMMAND begins. A CLI exit status. */
int recording_run_command(struct recording *r);

/* Has COMMAND ended? */
void recording_check_command(struct recording *r);

/**
 * recording_end_command() - what was started for the recording ends with it
 *
 * Children included; after Ctrl-C the terminal has told them already. A descendant that
 * went off as a session of its own is left alone.
 */
void recording_end_command(struct recording *r);
