/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "../profile/data.h"

/* Prints the first lines of a report: process, activities and completeness. */
void title_print(FILE *out, const struct prof_data *d);

/* Prints the first of these lines: process, duration and number of samples. */
void title_print_recording(FILE *out, const struct prof_data *d);
