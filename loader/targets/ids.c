/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Ids are kept sorted, because otherwise adding the thousands of processes of a cgroup would take
 * quadratic time.
 */

#include "ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/search.h"

#define MAX_IDS (1u << 20)

/* The index of @id, or the index at which to insert it. */
static size_t lower_bound(const struct ids *ids, int id)
{
	return search_first(ids->n, i, ids->v[i] < id);
}

bool ids_has(const struct ids *ids, int id)
{
	size_t i = lower_bound(ids, id);

	return i < ids->n && ids->v[i] == id;
}

int ids_add(struct ids *ids, int id)
{
	size_t i = lower_bound(ids, id);

	if (i < ids->n && ids->v[i] == id)
		return 0;
	if (ids->n == MAX_IDS)
		return -E2BIG;
	if (array_reserve(ids->v, ids->room, ids->n + 1))
		return -ENOMEM;
	memmove(ids->v + i + 1, ids->v + i, (ids->n - i) * sizeof(*ids->v));
	ids->v[i] = id;
	ids->n++;
	return 0;
}

void ids_deinit(struct ids *ids)
{
	free(ids->v);
	*ids = (struct ids){ 0 };
}
