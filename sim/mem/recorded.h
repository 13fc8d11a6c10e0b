/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The case back end: memory as a file recorded it. An address that the file does not
 * speak of is no fault: see sim_mem.missing.
 */

#include "mem.h"

struct case_file;

/**
 * sim_recorded_new() - the memory of a recorded case
 * @c:		borrowed, outlives it
 * @out:	owned by the caller, ends with sim_mem_free()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_recorded_new(const struct case_file *c, struct sim_mem **out);
