/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "../profile/data.h"

/* Process, activities and completeness: the first lines of a report. */
void title_print(FILE *out, const struct prof_data *d);
