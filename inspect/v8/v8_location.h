/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The functions at a pc of compiled code, and the positions in them. Private to inspect/v8. */

#include "v8_resolver.h"

/**
 * v8_location_find() - call the resolvers in their order
 * @q:		the query; end it with v8_deopt_deinit(&q->d). Sets @at; without functions
 *		it has a reason
 *
 * Return: 0, or -ENOENT: V8_VIA_EXIT, and there is no exit.
 */
int v8_location_find(struct v8_query *q);
