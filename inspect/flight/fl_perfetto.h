/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A dump in Perfetto's own trace format (TrackEvent): the tracks and slices of fl_chrome.h, as a
 * sequence of packets, so that a truncated trace is readable up to its end.
 */

#include "fl_dump.h"

/**
 * fl_perfetto_write() - write the trace
 * @d:		from fl_dump_parse()
 *
 * Return: 0, -ENOMEM, or the errno of writing.
 */
int fl_perfetto_write(const struct fl_dump *d, FILE *out);
