/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../cli/record_options.h"
#include "ids.h"

enum target_mode {
	TARGET_ALL,
	TARGET_PIDS, /* all threads, and children born while recording */
	TARGET_TIDS,
	TARGET_CGROUP, /* version 2, with the groups below it */
	TARGET_COMMAND, /* COMMAND and its descendants; its pid is added once it is started */
};

/* Whom to record, found and checked. */
struct target_set {
	enum target_mode mode;
	struct ids ids; /* pids or tids, as the caller's PID namespace sees them; sorted */
	int cgroup_fd; /* O_PATH directory, or -1 */
	u64 cgroup_id; /* as bpf_get_current_ancestor_cgroup_id() gives it */
	char *cgroup_path; /* or NULL */
};

/**
 * target_set_resolve() - from options to processes
 * @t:	end with target_set_deinit() whatever is returned
 *
 * A pid that does not exist is a mistake in the command line and so a usage error,
 * as is a name that no process or more than one has. A process that ends after
 * this is the recorder's to notice. Takes 0.3 s when there is no target.
 *
 * Return: CLI_OK, or the exit status; what is wrong has been said on stderr.
 */
int target_set_resolve(const struct record_options *o, struct target_set *t);
void target_set_deinit(struct target_set *t);
