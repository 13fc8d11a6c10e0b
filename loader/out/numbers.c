/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"

int numbers_init(struct numbers *v, size_t n)
{
	v->number = malloc((n + 1) * sizeof(u32));
	if (!v->number)
		return -ENOMEM;
	memset(v->number, 0xff, (n + 1) * sizeof(u32));
	return 0;
}

void numbers_deinit(struct numbers *v)
{
	free(v->number);
	free(v->ids);
}

int numbers_add(struct numbers *v, u32 id)
{
	if (v->number[id] != NUMBERS_UNUSED)
		return 0;
	if (array_reserve(v->ids, v->room, v->n + 1))
		return -ENOMEM;
	v->number[id] = v->n;
	v->ids[v->n++] = id;
	return 1;
}
