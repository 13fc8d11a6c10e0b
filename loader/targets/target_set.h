/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../cli/record_options.h"
#include "ids.h"

enum target_mode {
	TARGET_ALL,
	TARGET_PIDS, /* all threads of these processes, and children that start during the
		      * recording */
	TARGET_TIDS,
	TARGET_CGROUP, /* a version 2 group and the groups below it */
	TARGET_COMMAND, /* COMMAND and its descendants; COMMAND's pid is added when it is started */
};

/* The processes to record, resolved and checked. */
struct target_set {
	enum target_mode mode;
	struct ids ids; /* pids or tids in the caller's PID namespace; sorted */
	u64 known_ns; /* CLOCK_BOOTTIME before they were looked up: a later start is another task's
		       */
	int cgroup_fd; /* O_PATH directory, or -1 */
	u64 cgroup_id; /* as returned by bpf_get_current_ancestor_cgroup_id() */
	char *cgroup_path; /* NULL: none */
};

/**
 * target_set_resolve() - find the processes that options select
 * @t:		free with target_set_deinit(), also after an error
 *
 * An unknown pid is a usage error. So is a name that no application has, or that several
 * applications have (applications.h); but with --follow, there need not be an application with
 * the name yet. If a process exits after this call, the recorder handles that. Takes 0.3 s
 * without a target.
 *
 * Return: CLI_OK, or the exit status after an error was printed.
 */
int target_set_resolve(const struct record_options *o, struct target_set *t);
void target_set_deinit(struct target_set *t);
