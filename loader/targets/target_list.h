/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "applications.h"

/* Prints lists of processes from which the user can choose. */

/*
 * Prints a line for each application: the command that records the application, and the runtime
 * and the name of its first process. Return: 0 or a negative errno.
 */
int target_list_applications(FILE *out, const struct applications *found);

/*
 * Prints pid, CPU, runtime and name of the @n busiest processes. Takes 0.3 s. Return: 0 or a
 * negative errno.
 */
int target_list_busiest(FILE *out, size_t n);
