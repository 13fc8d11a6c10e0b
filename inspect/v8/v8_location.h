/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds the functions at a pc of compiled code, and the positions in these functions. Private to
 * inspect/v8.
 */

#include "v8_resolver.h"

/**
 * v8_location_find() - find the functions of a query, by calling the resolvers in order
 * @q:		the query; end it with v8_deopt_deinit(&q->d). Sets q->at, which has a reason if it
 *		has no functions
 *
 * Return: 0, or -ENOENT with V8_VIA_EXIT if no exit is found.
 */
int v8_location_find(struct v8_query *q);
