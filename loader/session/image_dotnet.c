// SPDX-License-Identifier: BSD-2-Clause

#include "image_dotnet.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/dotnet/r2r_rows.h"
#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/cleanup.h"
#include "../jit/jit_file.h"
#include "../life/map_file.h"
#include "../life/maps.h"

#define MIN_THREADS_NS 100000000ull /* between two looks at all threads */

bool image_dotnet_is_code(const struct mapping *m)
{
	return m->is_anon || (m->path && dotnet_is_code_file(m->path->text));
}

struct beside {
	u64 addr;
	char path[PATH_MAX];
};

static int find_path(const struct maps_entry *e, void *data)
{
	struct beside *b = data;

	if (b->addr < e->start_addr || b->addr >= e->end_addr)
		return 0;
	if (e->path_len >= sizeof(b->path) || !e->path_len || e->path[0] != '/')
		return -ENOENT;
	maps_path_unescape(e->path, e->path_len, b->path);
	return 1;
}

/* A PDB: its id is checked by who asks. */
static int open_beside(void *data, u64 addr, const char *name)
{
	const struct image_dotnet *d = data;
	struct beside b = { .addr = addr };
	int fd, r = maps_each(d->process->pid, find_path, &b);

	if (r == 1)
		r = map_file_open_beside(d->process->pid, b.path, name, &fd);
	else if (!r)
		r = -ENOENT;
	return r ? r : fd;
}

void image_dotnet_open(struct image_dotnet *d, const struct process *p,
		       const struct dotnet_build *build, int fd, const struct mapping *m)
{
	struct elf_file *elf;
	u64 bias;
	int err = elf_file_open_fd(&elf, fd);

	if (err)
		return;
	err = elf_file_bias(elf, m->start_addr, m->file_off, &bias);
	elf_file_free(&elf);
	if (err)
		return; /* another part of the file */
	d->process = p;
	d->build = build;
	if (target_process_init(&d->memory, (int)p->pid))
		return;
	if (dotnet_runtime_new(&d->runtime, build, &d->memory.target, bias))
		target_process_deinit(&d->memory);
	else
		dotnet_runtime_set_files(d->runtime, open_beside, d);
}

void image_dotnet_deinit(struct image_dotnet *d)
{
	if (d->runtime)
		target_process_deinit(&d->memory);
	dotnet_runtime_free(&d->runtime);
	awaits_free(&d->awaits);
	anon_stubs_deinit(&d->stubs);
	d->build = NULL;
}

/* An image that is a file of its own begins where the file does, and is found there. */
static void tell_image(struct image_dotnet *d, const struct dotnet_range *r,
		       const struct uw_mapping *m, struct row_filler *rows)
{
	struct row_image image = {
		.first_page = (u32)(m->file_off / UW_ROW_PAGE_LEN),
		.end_page =
			(u32)((m->file_off + m->end_addr - m->start_addr - 1) / UW_ROW_PAGE_LEN +
			      1),
	};

	if (!m->file_off || m->file_off >= UW_MAX_ROW_OFF ||
	    row_filler_has_image(rows, m->module, image.first_page))
		return;
	if (!r2r_rows_image_off(&d->memory.target, r->start_addr, m->start_addr, m->end_addr,
				m->file_off, &image.off) &&
	    image.off)
		row_filler_image(rows, m->module, &image);
}

/* Both are sorted. */
static void tell_images(struct image_dotnet *d, const struct dotnet_range *v, u32 n,
			const struct map_list *l, struct row_filler *rows)
{
	for (u32 i = 0, k = 0; i < l->n; i++) {
		while (k < n && v[k].end_addr <= l->v[i].start_addr)
			k++;
		if (k < n && v[k].kind == DOTNET_RANGE_R2R && l->v[i].module &&
		    l->v[i].end_addr > v[k].start_addr)
			tell_image(d, &v[k], &l->v[i], rows);
	}
}

static bool has_anonymous(const struct mappings *maps)
{
	for (u32 i = 0; i < maps->n; i++)
		if (maps->v[i].is_anon)
			return true;
	return false;
}

int image_dotnet_place(struct image_dotnet *d, struct map_list *l, struct row_filler *rows)
{
	_cleanup_free_ struct dotnet_range *v = NULL;
	int err = 0;
	u32 n = 0;

	if (!d->runtime || dotnet_ranges_get(d->runtime, &v, &n))
		return 0; /* it is not there yet, or not any more */
	if (rows)
		tell_images(d, v, n, l, rows);
	if (has_anonymous(d->process->maps))
		err = anon_stubs_place(&d->stubs, d->process->pid, v, n, l);
	return err ? err : dotnet_ranges_overlay(v, n, l);
}

void image_dotnet_touch(struct image_dotnet *d, u64 addr)
{
	u8 byte;

	if (d->runtime)
		target_read(&d->memory.target, addr, &byte, sizeof(byte));
}

struct learning {
	struct tables *tables;
	const struct uw_sample *sample;
	u32 own_tid; /* the sample's thread, in the innermost namespace */
};

/* Of a namespace of its own no other thread's number is known as the walk has it. */
static void learn_thread(const struct dotnet_thread *thread, void *data)
{
	const struct learning *l = data;
	const struct uw_sample *s = l->sample;
	struct dotnet_await e = { .of = uw_image_number(s->pid, s->start_ns, s->exec_id),
				  .key = DOTNET_THREAD_KEY(s->tid) };

	e.hijack_addr = thread->hijack_addr;
	if (thread->tid != l->own_tid) {
		if (s->tid != l->own_tid)
			return;
		e.key = DOTNET_THREAD_KEY(thread->tid);
	}
	tables_add_await(l->tables, &e);
}

/* All threads that there are, and a new one when the walk has come to what replaced its return. */
static void learn_threads(struct image_dotnet *d, struct tables *t, const struct uw_sample *s)
{
	struct learning l = { .tables = t, .sample = s };
	struct jit_owner own;

	if ((d->threads_ns && s->status != UW_T_HIJACKED) ||
	    s->time_ns - d->threads_ns < MIN_THREADS_NS || jit_owner_read(s->tid, &own))
		return;
	d->threads_ns = s->time_ns;
	l.own_tid = own.pid;
	dotnet_threads_each(d->runtime, learn_thread, &l);
}

void image_dotnet_learn(struct image_dotnet *d, struct tables *t, const struct uw_sample *s)
{
	if (d->runtime)
		learn_threads(d, t, s);
	if (!d->runtime || !tables_want_awaits(t) ||
	    (!d->awaits && awaits_new(&d->awaits, d->runtime, &d->memory.target)))
		return;
	awaits_learn(d->awaits, t, s);
}
