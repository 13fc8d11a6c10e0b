/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "record.h"

/**
 * samples_line_parse() - parse a line with samples in the form that the recorder writes
 * @line:	not NUL-terminated; the record borrows it
 * @record:	written only if the result is true; not the members line and len
 *
 * Most lines of a profile are such lines, and jansson takes ten times as long for one.
 *
 * Return: true if the line was parsed; false if it has another form or is malformed, in which case
 * the caller passes it to prof_record_parse().
 */
bool samples_line_parse(const char *line, size_t len, struct prof_record *record);
