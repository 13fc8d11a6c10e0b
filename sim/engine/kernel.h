/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The kernel engine and, for tests, sessions of it with a different BPF object. */

#include "blob.h"
#include "engine.h"

extern const struct sim_engine sim_engine_kernel;

/**
 * sim_kernel_open() - open a session of the kernel engine with any conformance-log object
 *
 * Return: 0 or a negative errno; @out as for sim_session_open().
 */
int sim_kernel_open(const struct sim_arch *arch, struct sim_blob elf, struct sim_session **out);
