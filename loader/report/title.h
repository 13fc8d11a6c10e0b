/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "../profile/data.h"

/* The activities in words. */
extern const char *const title_activities[PROF_N_ACTIVITIES];

/* Prints "server.js  (node 24.21.0, pid 812)" for the process with the most samples. */
void title_process(FILE *out, const struct prof_data *d);

/* Prints the first lines of a report: process, activities and completeness. */
void title_print(FILE *out, const struct prof_data *d);

/* Prints the first of these lines: process, duration and number of samples. */
void title_print_recording(FILE *out, const struct prof_data *d);
