// SPDX-License-Identifier: BSD-2-Clause

#include "copies.h"

#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../process/maps.h"

static const struct mapping *original(const struct mappings *m, u32 module)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->v[i].module == module && m->v[i].path)
			return &m->v[i];
	return NULL;
}

void copies_take(struct process *p, const struct runtime *rt, int fd, u64 start_addr, u64 len)
{
	const struct mapping *from = original(p->maps, rt->home.module);
	_cleanup_free_ char *path = NULL;
	struct process_mmap_event copy;

	if (!from || !rt->ops->is_copy(rt, fd, start_addr, len))
		return;
	path = strdup(from->path->text); /* copy the path, because @from may be freed with the
					  * mapping that is replaced */
	copy = (struct process_mmap_event){
		.start_addr = start_addr,
		.len = len,
		.file_off = rt->build->code_off,
		.inode = from->inode,
		.inode_gen = from->inode_gen,
		.dev_major = from->dev_major,
		.dev_minor = from->dev_minor,
		.path = path,
	};
	if (path && !mappings_add(&p->maps, &copy, from->seen_ns))
		mappings_find(p->maps, start_addr)->module = rt->home.module;
}

struct search {
	struct process *p;
	const struct runtime *rt;
	int fd;
};

static int take(const struct maps_entry *e, void *data)
{
	const struct search *s = data;

	if (!e->inode)
		copies_take(s->p, s->rt, s->fd, e->start_addr, e->end_addr - e->start_addr);
	return 0;
}

void copies_find(struct process *p, const struct runtime *rt, int fd)
{
	struct search s = { p, rt, fd };

	maps_each_exec(p->pid, take, &s);
}
