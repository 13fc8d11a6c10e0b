/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Arrays of fixed size, and growing arrays on the heap. */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define ARRAY_FIRST 8

/* Grows an array for array_reserve(). Returns NULL if out of memory, or if @n exceeds @max. */
static inline void *array_grow(void *v, size_t *room, size_t n, size_t max, size_t size)
{
	size_t more = *room ? *room : ARRAY_FIRST;

	while (more < n && more <= max / 2)
		more *= 2;
	*room = more;
	return more < n ? NULL : reallocarray(v, more, size);
}

/**
 * array_reserve() - make room for elements of an array on the heap
 * @v_:		the array, NULL at first; may move
 * @room_:	the array's capacity in elements, 0 at first; an unsigned integer of any size
 * @n_:		the capacity needed
 *
 * The capacity is doubled, so adding n elements one by one moves at most 2n elements.
 *
 * Return: 0, or -ENOMEM, in which case nothing has changed.
 */
#define array_reserve(v_, room_, n_)                                                               \
	({                                                                                         \
		size_t want_ = (n_), have_ = (room_);                                              \
		void *grown_ = NULL;                                                               \
                                                                                                   \
		if (want_ > have_)                                                                 \
			grown_ =                                                                   \
				array_grow((v_), &have_, want_, (typeof(room_))-1, sizeof(*(v_))); \
		if (grown_) {                                                                      \
			(v_) = grown_;                                                             \
			(room_) = (typeof(room_))have_;                                            \
		}                                                                                  \
		want_ > (room_) ? -ENOMEM : 0;                                                     \
	})
