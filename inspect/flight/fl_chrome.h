/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A dump as Chrome Trace Event JSON, for ui.perfetto.dev, chrome://tracing and speedscope: one
 * track per thread and one slice per walk. The slice of a walk is named by the walk's status and
 * contains a slice for each step.
 *
 * Viewers merge slices whose names and arguments are equal. Therefore slices have no arguments;
 * registers and numbers are in an instant event at the start of each slice.
 *
 * The clock is read twice per walk. The times of the steps between the two readings are unknown, so
 * the steps are spread evenly and marked "steps_timed": false.
 */

#include "fl_dump.h"

/* Tags of names in a dump. */
enum fl_name_tag { FL_NAME_PROCESS = 1, FL_NAME_THREAD, FL_NAME_CODE, FL_NAME_RUNTIME };

/**
 * fl_chrome_write() - write the trace
 * @d:		from fl_dump_parse()
 *
 * Return: 0, -ENOMEM, or the errno of writing.
 */
int fl_chrome_write(const struct fl_dump *d, FILE *out);
