/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A dump as a trace of Perfetto's own (TrackEvent): the tracks and slices of fl_chrome.h, in
 * packets that follow each other, so that what was written before a cut can be read.
 */

#include "fl_dump.h"

/**
 * fl_perfetto_write() - write the trace
 * @d:		a dump that fl_dump_parse() gave
 *
 * Return: 0, -ENOMEM, or what writing gave.
 */
int fl_perfetto_write(const struct fl_dump *d, FILE *out);
