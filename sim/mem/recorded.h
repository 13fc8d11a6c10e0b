/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The back end for recorded cases: memory from a file. Reading an address that the file does not
 * contain is not a fault of the target; see sim_mem.missing.
 */

#include "mem.h"

struct case_file;

/**
 * sim_recorded_new() - make the memory of a recorded case
 * @c:		borrowed; must outlive the memory
 * @out:	owned by the caller, freed by sim_mem_free()
 *
 * Return: 0 or -ENOMEM.
 */
int sim_recorded_new(const struct case_file *c, struct sim_mem **out);
