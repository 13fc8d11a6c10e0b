/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Detects CPUs that come online while a recording runs. When a CPU goes offline, its perf events
 * stop for good: they deliver nothing even after the CPU is back online, so they must be opened
 * again. The kernel reports CPUs that come online on its uevent socket.
 */

#include "../../core/types.h"

/**
 * cpus_listen() - listen for CPUs that come online
 *
 * Return: a file descriptor, or a negative errno. Some containers do not permit this, so a
 *     failure is normal there.
 */
int cpus_listen(void);

/**
 * cpus_next() - get a CPU that has come online
 * @fd:		from cpus_listen(), or negative
 *
 * Return: 1: @cpu came online; 0: no CPU did; -ENOBUFS: messages were lost, so any CPU may have
 *         come online.
 */
int cpus_next(int fd, u32 *cpu);
