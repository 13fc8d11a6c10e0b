// SPDX-License-Identifier: BSD-2-Clause

#include "builtins_copy.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/target/target.h"
#include "../../inspect/util/cleanup.h"
#include "../life/maps.h"

#define N_SPOTS 16 /* that are compared: the first bytes, the last ones, and between them */
#define SPOT_LEN 4096ull

static bool has_length(const struct builtins_file *f, u64 len)
{
	return f->fd >= 0 && f->len >= SPOT_LEN && len - f->len < (u64)sysconf(_SC_PAGESIZE);
}

static bool has_bytes(u32 pid, const struct builtins_file *f, u64 start_addr)
{
	u8 want[SPOT_LEN], have[SPOT_LEN];
	struct target_process t;
	bool same = !target_process_init(&t, (int)pid);

	if (!same)
		return false;
	for (u64 i = 0; same && i < N_SPOTS; i++) {
		u64 off = (f->len - SPOT_LEN) * i / (N_SPOTS - 1);

		same = pread(f->fd, want, SPOT_LEN, (off_t)(f->off + off)) == SPOT_LEN &&
		       !target_read(&t.target, start_addr + off, have, SPOT_LEN) &&
		       !memcmp(want, have, SPOT_LEN);
	}
	target_process_deinit(&t);
	return same;
}

static const struct mapping *original(const struct mappings *m, u32 module)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->v[i].module == module && m->v[i].path)
			return &m->v[i];
	return NULL;
}

void builtins_copy_take(struct process *p, const struct builtins_file *f, u64 start_addr, u64 len)
{
	const struct mapping *from = original(p->maps, f->module);
	_cleanup_free_ char *path = NULL;
	struct life_mmap copy;

	if (!from || !has_length(f, len) || !has_bytes(p->pid, f, start_addr))
		return;
	path = strdup(from->path->text); /* its own may go with what is replaced */
	copy = (struct life_mmap){
		.start_addr = start_addr,
		.len = len,
		.file_off = f->off,
		.inode = from->inode,
		.inode_gen = from->inode_gen,
		.dev_major = from->dev_major,
		.dev_minor = from->dev_minor,
		.path = path,
	};
	if (path && !mappings_add(&p->maps, &copy, from->seen_ns))
		mappings_find(p->maps, start_addr)->module = f->module;
}

struct search {
	struct process *p;
	const struct builtins_file *f;
};

static int take(const struct maps_entry *e, void *data)
{
	const struct search *s = data;

	if (!e->inode)
		builtins_copy_take(s->p, s->f, e->start_addr, e->end_addr - e->start_addr);
	return 0;
}

void builtins_copy_find(struct process *p, const struct builtins_file *f)
{
	struct search s = { p, f };

	maps_each_exec(p->pid, take, &s);
}
