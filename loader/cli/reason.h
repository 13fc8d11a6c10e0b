/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * reason_parse() - the ways for a stack to end that a word names
 * @word:	any, truncated, failed, or a reason as reports print it, where a dash may stand
 *		for each blank
 * @stacks:	a bit an enum uw_status that the stack may end with
 * @frames:	a bit an enum uw_status that one frame must have; 0: any
 *
 * Return: 0, or -EINVAL: there is no such reason.
 */
int reason_parse(const char *word, u64 *stacks, u64 *frames);
