/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "procs.h"

/* Processes for people to choose from: pid, CPU if it was measured, runtime, name. */

/* A line for each of the pids. 0 or a negative errno. */
int target_list_pids(FILE *out, const struct ids *pids);

/* A line for each of the @n busiest processes. 0 or a negative errno. Takes 0.3 s. */
int target_list_busiest(FILE *out, size_t n);
