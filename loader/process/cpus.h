/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * CPUs that come back while a recording runs. A perf event of a CPU that went offline stays
 * silent for ever: who listens on all CPUs has to open it anew when the CPU is there again.
 * The kernel tells of it on its socket of uevents.
 */

#include "../../core/types.h"

/**
 * cpus_listen() - hear from now on which CPUs come online
 *
 * Return: a file descriptor, or a negative errno: in some containers nothing is told.
 */
int cpus_listen(void);

/**
 * cpus_next() - a CPU that has come online
 * @fd:		of cpus_listen(), or negative
 *
 * Return: 1, 0: none has; -ENOBUFS: it could be any, what was told is lost.
 */
int cpus_next(int fd, u32 *cpu);
