/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Binary search in an array that is sorted by any key. */

#include <stddef.h>

/**
 * search_first() - the first index for which a predicate is false
 * @n_:		number of elements
 * @i_:		name of the index in @is_before_
 * @is_before_:	an expression that is true below some index, and false at that index and above
 *
 * Return: the first index for which the expression is false; @n_ if it is always true.
 */
#define search_first(n_, i_, is_before_)                                                           \
	({                                                                                         \
		size_t low_ = 0, high_ = (n_);                                                     \
                                                                                                   \
		while (low_ < high_) {                                                             \
			size_t i_ = low_ + (high_ - low_) / 2;                                     \
                                                                                                   \
			if (is_before_)                                                            \
				low_ = i_ + 1;                                                     \
			else                                                                       \
				high_ = i_;                                                        \
		}                                                                                  \
		low_;                                                                              \
	})
