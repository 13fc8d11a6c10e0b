/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A process that has a target's memory at the target's own addresses (helper.c). */

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
 * @helper:	its ELF file
 * @prog_fd:	the program that it is to run; -1: it only faults
 * @out:	ends with sim_process_end()
 *
 * Return: 0 or a negative errno.
 */
int sim_process_start(struct sim_blob helper, int prog_fd, u32 cpu, struct sim_process *out);

/**
 * sim_process_walk() - have it hold a target's memory and do something over it
 * @how:	what
 * @regions:	the target's pages, @n of them
 * @reply:	what became of it
 *
 * Return: 0, or a negative errno: the process is gone.
 */
int sim_process_walk(const struct sim_process *p, enum helper_how how, const struct sim_target *t,
		     const struct sim_region *regions, size_t n, struct helper_reply *reply);

void sim_process_end(struct sim_process *p);
