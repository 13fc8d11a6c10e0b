/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "data.h"

/*
 * Adds @n samples of a line to the summary of a profile. For a profile without a summary line, and
 * for a part of a recording.
 */
void data_summary_add(struct prof_data *d, const struct data_stack *s,
		      const struct prof_record *rec, u64 n);
