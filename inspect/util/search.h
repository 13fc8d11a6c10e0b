/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Binary search in what is sorted, by any key that it may have. */

#include <stddef.h>

/**
 * search_first() - the first index that something no more holds of
 * @n_:		how many there are
 * @i_:		name of the index in @is_before_
 * @is_before_:	an expression that holds of all below some index, and of none from it on
 *
 * Return: that index; @n_: it holds of all.
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
