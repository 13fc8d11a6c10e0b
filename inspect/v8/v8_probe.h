/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Checks that the layout agrees with the process's heap. Private to inspect/v8. */

#include "v8_code.h"

/* Are more votes against the layout than for it? */
bool v8_probe_denies(const struct v8_heap *h, enum v8_aspect aspect);

/* May a function with this vote be reported? */
bool v8_probe_allows(const struct v8_heap *h, enum v8_aspect aspect, enum v8_vote vote);

/*
 * Returns the vote of a function that was just read; V8_VOTE_NONE if no vote is needed. @script:
 * tagged, 0 for a builtin.
 */
enum v8_vote v8_probe_names(struct v8_heap *h, u64 sfi, u64 name_or_scope, u64 script);
enum v8_vote v8_probe_lines(struct v8_heap *h, u64 bytecode, u64 script);

/* May the functions that are inlined in @code be reported? */
bool v8_probe_code(struct v8_heap *h, const struct v8_code *code);
