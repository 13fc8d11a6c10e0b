/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * name_fit() - shorten a function's name to a width
 * @name:	escaped
 * @width:	columns
 *
 * Parts are dropped in this order: parameters, namespace, type, end of the method.
 *
 *	System.Collections.Generic.ArraySortHelper<int>.IntroSort(Span<int>, int)
 *	System.Collections.Generic.ArraySortHelper<int>.IntroSort(…)
 *	…ArraySortHelper<int>.IntroSort
 *	…lper<int>.IntroSort
 *	IntroS…
 *
 * Return: a string that the caller frees; NULL if out of memory.
 */
char *name_fit(const char *name, u32 width);
