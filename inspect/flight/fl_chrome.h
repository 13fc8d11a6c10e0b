/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A dump as Chrome Trace Event JSON, for ui.perfetto.dev, chrome://tracing and speedscope:
 * a track a thread, a slice a walk with how it ended as its name, its steps in it.
 *
 * Viewers hold slices for the same when their names and arguments are. So slices have none:
 * registers and figures are in a point at the begin of each.
 *
 * The clock is read twice a walk. Where its steps lie in between is not known: they are
 * spread evenly ("steps_timed": false tells so).
 */

#include "fl_dump.h"

/* Tags of names in a dump. */
enum fl_name_tag { FL_NAME_PROCESS = 1, FL_NAME_THREAD, FL_NAME_CODE, FL_NAME_RUNTIME };

/**
 * fl_chrome_write() - write the trace
 * @d:		a dump that fl_dump_parse() gave
 *
 * Return: 0, -ENOMEM, or what writing gave.
 */
int fl_chrome_write(const struct fl_dump *d, FILE *out);
