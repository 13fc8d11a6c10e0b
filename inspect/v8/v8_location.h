/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Which functions a pc of compiled code stands for, and where in them. Private to inspect/v8. */

#include "v8_resolver.h"

/**
 * v8_location_find() - ask the resolvers in their order
 * @q:		what is asked; ends with v8_deopt_deinit(&q->d). @at is set: if it has no
 *		functions its @reason says why
 *
 * Return: 0, or -ENOENT: of V8_VIA_EXIT there is no exit.
 */
int v8_location_find(struct v8_query *q);
