/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Writes a dump in Perfetto's own trace format (TrackEvent). The tracks and slices are those of
 * fl_chrome.h; the trace is a sequence of packets, so a truncated trace is readable up to its end.
 */

#include "fl_dump.h"

/**
 * fl_perfetto_write() - write the trace
 * @d:		from fl_dump_parse()
 *
 * Return: 0, -ENOMEM, or the errno of writing.
 */
int fl_perfetto_write(const struct fl_dump *d, FILE *out);
