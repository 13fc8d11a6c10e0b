/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

#define REASON_ANY (~0ull) /* bits of all statuses */

/**
 * reason_parse() - find the statuses that a word on the command line selects
 * @word:	any, truncated, failed, or a reason as this version or an earlier one prints
 *		it in reports; each blank may be a dash
 * @stacks:	one bit per enum uw_status that the stack may end with; any: REASON_ANY
 * @frames:	one bit per enum uw_status; at least one frame must have one of these; 0:
 *		any stack
 *
 * Return: 0, or -EINVAL for an unknown reason.
 */
int reason_parse(const char *word, u64 *stacks, u64 *frames);
