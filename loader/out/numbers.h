/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Numbers the ids that are used, 0, 1, 2, ... in the order of their first use. */

#include <stddef.h>

#include "../../core/types.h"

#define NUMBERS_UNUSED (~0u)

struct numbers {
	u32 *number; /* by id; NUMBERS_UNUSED: not used */
	u32 *ids; /* by number */
	u32 n, room;
};

/* @n: ids are smaller. The caller calls numbers_deinit(). Returns 0 or -ENOMEM. */
int numbers_init(struct numbers *v, size_t n);
void numbers_deinit(struct numbers *v);

/* Return: 1 for an id that gets a number, 0 for one that has a number, or -ENOMEM. */
int numbers_add(struct numbers *v, u32 id);
