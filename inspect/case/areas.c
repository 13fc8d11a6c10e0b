// SPDX-License-Identifier: BSD-2-Clause

#include "areas.h"

#include "../util/array.h"
#include "../util/search.h"

#include <errno.h>
#include <stdlib.h>

int areas_add(struct areas *a, const struct area *area)
{
	if (a->n == AREAS_MAX)
		return -E2BIG;
	if (array_reserve(a->v, a->room, a->n + 1))
		return -ENOMEM;
	a->v[a->n++] = *area;
	return 0;
}

void areas_deinit(struct areas *a)
{
	for (u32 i = 0; i < a->n; i++)
		free(a->v[i].path);
	free(a->v);
	*a = (struct areas){ 0 };
}

const struct area *areas_find(const struct areas *a, u64 addr)
{
	size_t at = search_first(a->n, i, a->v[i].end_addr <= addr);

	return at < a->n && a->v[at].start_addr <= addr ? &a->v[at] : NULL;
}

int areas_files(const struct areas *a, struct case_map_file **out)
{
	struct case_map_file *files = calloc(a->n + 1, sizeof(*files));
	int n = 0;

	if (!files)
		return -ENOMEM;
	for (u32 i = 0; i < a->n; i++)
		if (a->v[i].path)
			files[n++] = (struct case_map_file){ a->v[i].start_addr, a->v[i].end_addr,
							     a->v[i].file_off, a->v[i].path };
	*out = files;
	return n;
}
