/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * reason_parse() - find the statuses that a word on the command line selects
 * @word:	any, truncated, failed, or a reason as reports print it or as earlier versions
 *		did; a dash may replace each blank
 * @stacks:	one bit per enum uw_status that the stack may end with
 * @frames:	one bit per enum uw_status, one of which a frame must have; 0: any
 *
 * Return: 0, or -EINVAL for an unknown reason.
 */
int reason_parse(const char *word, u64 *stacks, u64 *frames);
