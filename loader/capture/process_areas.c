// SPDX-License-Identifier: BSD-2-Clause

#include "process_areas.h"

#include "../process/maps.h"

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
	struct area area = { .start_addr = e->start_addr,
			     .end_addr = e->end_addr,
			     .file_off = e->file_off,
			     .prot = prot_of(e->prot),
			     .holds = (u8)holds_of(e, r->sp) };
	char *path = NULL;
	int err;

	if (e->inode) {
		path = malloc(e->path_len + 1);
		if (!path)
			return -ENOMEM;
		maps_path_unescape(e->path, e->path_len, path);
	}
	area.path = path;
	err = areas_add(r->areas, &area);
	if (err)
		free(path);
	return err;
}

int areas_read(struct areas *a, u32 pid, u64 sp)
{
	struct reading r = { a, sp };

	*a = (struct areas){ 0 };
	return maps_each(pid, add_area, &r);
}
