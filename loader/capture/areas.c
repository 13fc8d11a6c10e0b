// SPDX-License-Identifier: BSD-2-Clause

#include "areas.h"

#include "../life/maps.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reading {
	struct areas *areas;
	u64 sp;
};

static u8 prot_of(u32 prot)
{
	return (u8)((prot & MAPS_READ ? PF_R : 0) | (prot & MAPS_WRITE ? PF_W : 0) |
		    (prot & MAPS_EXEC ? PF_X : 0));
}

static enum case_holds holds_of(const struct maps_entry *e, u64 sp)
{
	if (sp >= e->start_addr && sp < e->end_addr)
		return CASE_STACK;
	if (e->prot & MAPS_EXEC)
		return CASE_CODE;
	return e->inode ? CASE_OTHER : CASE_HEAP;
}

static int add_area(const struct maps_entry *e, void *data)
{
	struct reading *r = data;
	struct areas *a = r->areas;
	char *path = NULL;

	if (a->n == AREAS_MAX)
		return -E2BIG;
	if (a->n == a->room) {
		u32 room = a->room ? a->room * 2 : 64;
		struct area *v = reallocarray(a->v, room, sizeof(*v));

		if (!v)
			return -ENOMEM;
		a->v = v;
		a->room = room;
	}
	if (e->inode) {
		path = malloc(e->path_len + 1);
		if (!path)
			return -ENOMEM;
		maps_path_unescape(e->path, e->path_len, path);
	}
	a->v[a->n++] = (struct area){ .start_addr = e->start_addr,
				      .end_addr = e->end_addr,
				      .file_off = e->file_off,
				      .path = path,
				      .prot = prot_of(e->prot),
				      .holds = (u8)holds_of(e, r->sp) };
	return 0;
}

int areas_read(struct areas *a, u32 pid, u64 sp)
{
	struct reading r = { a, sp };

	*a = (struct areas){ 0 };
	return maps_each(pid, add_area, &r);
}

void areas_deinit(struct areas *a)
{
	for (u32 i = 0; i < a->n; i++)
		free((char *)a->v[i].path);
	free(a->v);
	*a = (struct areas){ 0 };
}

const struct area *areas_find(const struct areas *a, u64 addr)
{
	u32 low = 0, high = a->n;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (a->v[middle].end_addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->n && a->v[low].start_addr <= addr ? &a->v[low] : NULL;
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
