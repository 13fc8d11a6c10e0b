/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A process that has a target's memory at the target's addresses (helper.c). */

#include "blob.h"
#include "helper.h"

#include "../case/target.h"
#include "../mem/image.h"

#include <sys/types.h>

struct sim_process {
	pid_t pid; /* 0: none */
	int socket; /* -1: none */
};

/**
 * sim_process_start() - start the helper on a CPU
 * @helper:	ELF file of the helper
 * @prog_fd:	the program to run; -1: the helper only makes page faults
 * @out:	the process, to be ended by sim_process_end()
 *
 * Return: 0 or a negative errno.
 */
int sim_process_start(struct sim_blob helper, int prog_fd, u32 cpu, struct sim_process *out);

/**
 * sim_process_walk() - map a target's memory in the process, and execute a request
 * @how:	the request
 * @regions:	the target's pages, @n of them
 * @reply:	set to the result
 *
 * Return: 0, or a negative errno: the process has ended.
 */
int sim_process_walk(const struct sim_process *p, enum helper_how how, const struct sim_target *t,
		     const struct sim_region *regions, size_t n, struct helper_reply *reply);

void sim_process_end(struct sim_process *p);
