/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "procs.h"

/*
 * Prints lists of processes from which the user can choose: pid, CPU time if measured, runtime,
 * name.
 */

/* Prints a line for each of @pids. Return: 0 or a negative errno. */
int target_list_pids(FILE *out, const struct ids *pids);

/*
 * Prints a line for each of the @n busiest processes. Takes 0.3 s. Return: 0 or a negative errno.
 */
int target_list_busiest(FILE *out, size_t n);
