/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The case back end: memory as recorded in a file. An address that the file does not contain is
 * not a fault: see sim_mem.missing.
 */

#include "mem.h"

struct case_file;

/**
 * sim_recorded_new() - the memory of a recorded case
 * @c:		borrowed; must outlive the memory
 * @out:	owned by the caller, freed by sim_mem_free()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_recorded_new(const struct case_file *c, struct sim_mem **out);
