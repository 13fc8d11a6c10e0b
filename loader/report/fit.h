/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/**
 * name_fit() - shorten a function's name to a width, the method last
 * @name:	escaped
 * @width:	columns
 *
 *	System.Collections.Generic.ArraySortHelper<int>.IntroSort(Span<int>, int)
 *	System.Collections.Generic.ArraySortHelper<int>.IntroSort(…)    parameters first
 *	…ArraySortHelper<int>.IntroSort                                 then the namespace
 *	…lper<int>.IntroSort                                            then the type
 *	IntroS…                                                         then the method
 *
 * Return: to be freed, NULL without memory.
 */
char *name_fit(const char *name, u32 width);
