/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Does the layout fit the process? Private to inspect/v8. */

#include "v8_code.h"

/* Is more against the layout than for it? */
bool v8_probe_denies(const struct v8_heap *h, enum v8_aspect aspect);

/* May that be reported which had this vote? */
bool v8_probe_allows(const struct v8_heap *h, enum v8_aspect aspect, int vote);

/*
 * The vote of a function that was just read, if any is needed: 1, -1 or 0. @script: tagged, 0 of
 * a builtin.
 */
int v8_probe_names(struct v8_heap *h, u64 sfi, u64 name_or_scope, u64 script);
int v8_probe_lines(struct v8_heap *h, u64 bytecode, u64 script);

/* May functions inlined in @code be reported? */
bool v8_probe_code(struct v8_heap *h, const struct v8_code *code);
