// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes the mappings of a process for the BPF tables: each range gets a module and a kind of code.
 * A runtime claims its own mappings (loader/runtime/runtime.h); all other mappings are native.
 */

#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../flight/log.h"
#include "copies.h"

static void add_await(void *data, const struct dotnet_await *e)
{
	const struct image *im = data;

	tables_add_await(im->all->tables, e);
}

static bool has_row_image(void *data, u32 module, u32 first_page)
{
	const struct image *im = data;

	return !im->all->rows || row_filler_has_image(im->all->rows, module, first_page);
}

static void add_row_image(void *data, u32 module, u64 off, u32 first_page, u32 end_page)
{
	const struct image *im = data;

	row_filler_image(
		im->all->rows, module,
		&(struct row_image){ .off = off, .first_page = first_page, .end_page = end_page });
}

int image_new(struct image **image, struct images *all, struct process *p)
{
	struct image *im = calloc(1, sizeof(*im));

	if (!im)
		return -ENOMEM;
	im->all = all;
	im->serial = ++all->last_serial;
	im->process = p;
	im->host = (struct runtime_host){ add_await, has_row_image, add_row_image, im };
	im->n_execs = p->n_execs;
	im->exec_id = UW_EXEC_UNKNOWN;
	im->copies_ns = NEVER_NS;
	im->left_ns = IMAGE_READ_NS;
	im->earned_ns = monotonic_ns();
	for (u32 r = 0; r < N_RUNTIMES; r++)
		im->memory[r].mem_fd = -1;
	*image = im;
	return 0;
}

void image_free(struct image **image)
{
	struct image *im = *image;

	if (!im)
		return;
	for (u32 r = 0; r < N_RUNTIMES; r++) {
		runtime_free(&im->runtimes[r]);
		target_process_deinit(&im->memory[r]);
	}
	jit_names_free(&im->jit);
	free(im->maps);
	free(im);
	*image = NULL;
}

struct jit_names *image_jit(struct image *im)
{
	if (!im->jit)
		im->jit = jit_names_new(&im->all->jit_used);
	return im->jit;
}

const struct runtime_build *image_runtime(const struct image *im)
{
	const struct runtime_build *b[N_RUNTIMES];

	for (u32 r = 0; r < N_RUNTIMES; r++)
		b[r] = im->runtimes[r] ? im->runtimes[r]->build : NULL;
	return runtime_first(b);
}

void image_preload(struct image *im)
{
	for (u32 r = 0; r < N_RUNTIMES; r++)
		if (im->runtimes[r] && runtimes[r]->wants_symbols)
			modules_load_symbols(im->all->modules, im->runtimes[r]->home.module);
}

bool image_learn(struct image *im, const struct uw_sample *s)
{
	bool has_new = false;

	for (u32 r = 0; r < N_RUNTIMES; r++)
		if (im->runtimes[r] && runtimes[r]->learn)
			has_new |= runtimes[r]->learn(im->runtimes[r], s);
	return has_new;
}

void image_names_thread(struct image *im, u32 tid)
{
	im->named_tids[tid / 64 % 4] |= 1ull << tid % 64;
}

void image_forget_names(struct image *im)
{
	for (u32 r = 0; r < N_RUNTIMES; r++)
		if (im->runtimes[r] && runtimes[r]->forget)
			runtimes[r]->forget(im->runtimes[r]);
}

void image_forget_thread(struct image *im, u32 tid)
{
	if (!(im->named_tids[tid / 64 % 4] >> tid % 64 & 1))
		return;
	image_forget_names(im);
	memset(im->named_tids, 0, sizeof(im->named_tids));
	im->serial = ++im->all->last_serial; /* names cached under the old serial number are
					      * invalid */
	flight_log_dropped(im->process->pid);
}

static int compare_with_mapping(const void *addr, const void *mapping)
{
	const struct uw_mapping *m = mapping;
	u64 at = *(const u64 *)addr;

	return at < m->start_addr ? -1 : at >= m->end_addr;
}

static bool had_mapping(const struct image *im, u64 addr)
{
	return im->n_maps &&
	       bsearch(&addr, im->maps, im->n_maps, sizeof(*im->maps), compare_with_mapping);
}

/* The module of a file mapping, or 0 if it cannot be opened, or not in the time that is left. */
static u32 module_of(const struct image *im, struct mapping *m)
{
	u32 id;

	return m->is_anon || (!m->module && budget_is_spent()) ||
			       modules_open(im->all->modules, im->process, m, &id)
		       ? 0
		       : id;
}

static bool is_code_file(const struct mapping *m)
{
	for (u32 r = 0; r < N_RUNTIMES; r++)
		if (m->path && runtimes[r]->is_code_file &&
		    runtimes[r]->is_code_file(m->path->text))
			return true;
	return false;
}

/* Lets the runtimes claim a mapping. Returns 1 if one does, 0 if none does, or -ENOMEM. */
static int claim(const struct image *im, const struct runtime_mapping *m, struct map_list *l)
{
	int claimed = 0;

	for (u32 r = 0; !claimed && r < N_RUNTIMES; r++)
		if (im->runtimes[r])
			claimed = runtimes[r]->claim(im->runtimes[r], m, l);
	return claimed;
}

static int claim_trampolines(struct image *im, const struct uw_mapping *m, struct map_list *l)
{
	u32 module = 0;
	int claimed = trampolines_claim(&im->all->trampolines, im->all->modules, im->process->pid,
					m, l, &module);

	if (claimed > 0 && im->all->rows)
		row_filler_expect(im->all->rows, module);
	return claimed;
}

/*
 * Adds a mapping. Each runtime may claim the mapping, first before the file is opened, and then
 * again with the module of the file. A mapping that no runtime claims is native.
 */
static int push_mapping(struct image *im, struct map_list *l, struct mapping *m)
{
	struct runtime_mapping rm = { .map = { .start_addr = m->start_addr,
					       .end_addr = m->end_addr,
					       .file_off = m->file_off },
				      .path = m->path ? m->path->text : NULL,
				      .is_anon = m->is_anon,
				      .was_there = had_mapping(im, m->start_addr) };
	int claimed = claim(im, &rm, l);

	if (claimed)
		return claimed < 0 ? claimed : 0;
	if (m->is_anon)
		claimed = claim_trampolines(im, &rm.map, l);
	if (claimed)
		return claimed < 0 ? claimed : 0;
	rm.map.module = module_of(im, m);
	images_add_file(im->all, rm.map.module, m->dev_major, m->dev_minor, m->inode);
	if (rm.map.module && im->all->rows)
		row_filler_expect(im->all->rows, rm.map.module);
	claimed = rm.map.module ? claim(im, &rm, l) : 0;
	if (claimed)
		return claimed < 0 ? claimed : 0;
	return map_list_push(l, &rm.map);
}

/*
 * Computes the load bias of the file that @m maps. Returns false if the part of the file that @m
 * maps has no load bias.
 */
static bool bias_of(const struct image *im, u32 module, const struct mapping *m, u64 *bias)
{
	struct elf_file *elf;
	int err = elf_file_open_fd(&elf, modules_fd(im->all->modules, module));

	if (err)
		return false;
	err = elf_file_bias(elf, m->start_addr, m->file_off, bias);
	elf_file_free(&elf);
	return !err;
}

static void open_runtime(struct image *im, u32 r, struct image_build *b, u32 module,
			 const struct mapping *m)
{
	struct runtime_home home = { .pid = im->process->pid,
				     .module = module,
				     .info_idx = b->info_idx[r],
				     .wants_async = tables_want_awaits(im->all->tables) };

	home.has_bias = bias_of(im, module, m, &home.bias);
	if (runtime_open(&im->runtimes[r], b->of[r], &home))
		return;
	im->runtimes[r]->host = &im->host;
	b->is_used[r] = true;
	flight_log_runtime(im->process->pid, image_runtime(im)->name);
}

/* Finds the runtimes. If several mappings contain the same runtime, the first mapping is used. */
static void find_runtimes(struct image *im)
{
	for (u32 i = 0; i < im->process->maps->n; i++) {
		struct mapping *m = &im->process->maps->v[i];
		u32 module = is_code_file(m) ? 0 : module_of(im, m);
		struct image_build *b = module ? images_build(im->all, module) : NULL;

		for (u32 r = 0; b && r < N_RUNTIMES; r++)
			if (b->of[r] && !im->runtimes[r])
				open_runtime(im, r, b, module, m);
	}
}

/*
 * Opens the process's memory for a runtime. If the memory can't be opened, the frames of the
 * runtime have no names, and each frame has a reason for this.
 */
static void open_memory(struct image *im, u32 r)
{
	struct target_process *t = &im->memory[r];

	if (t->mem_fd >= 0 || target_process_init(t, (int)im->process->pid))
		return;
	if (runtimes[r]->renews && target_process_keep(t))
		target_process_deinit(t);
	else
		im->runtimes[r]->memory = &t->target;
}

static int write_tables(struct image *im)
{
	struct tables_key key = { .pid = im->process->pid, .start_ns = im->process->start_ns };
	int err = tables_set_mappings(im->all->tables, &key, im->maps, im->n_maps, im->exec_id,
				      &im->gen);

	im->tables_start_ns = key.start_ns;
	flight_log_tables(key.pid, err ? 0 : im->n_maps);
	if (err)
		im->gen = 0;
	if (!im->first_gen)
		im->first_gen = im->gen;
	return err;
}

/* Whether there are BPF tables for this process and start time. */
static bool has_tables(const struct image *im)
{
	return im->gen && im->tables_start_ns == im->process->start_ns;
}

void image_take_mapping(struct image *im, const struct process_mmap_event *e)
{
	for (u32 r = 0; !e->inode && r < N_RUNTIMES; r++)
		if (im->runtimes[r] && runtimes[r]->is_copy)
			copies_take(im->process, im->runtimes[r],
				    modules_fd(im->all->modules, im->runtimes[r]->home.module),
				    e->start_addr, e->len);
}

/*
 * Searches for copies of a runtime's code, once after each read of /proc. Before the search, opens
 * mappings up to the first one of the runtime's file, because the search needs this file.
 */
static void find_copies(struct image *im)
{
	const struct mappings *maps = im->process->maps;

	if (im->copies_ns == im->process->loaded_ns)
		return;
	im->copies_ns = im->process->loaded_ns;
	for (u32 r = 0; r < N_RUNTIMES; r++) {
		const struct runtime *rt = im->runtimes[r];
		u32 i = 0;

		if (!rt || !runtimes[r]->is_copy)
			continue;
		while (i < maps->n && module_of(im, &maps->v[i]) != rt->home.module)
			i++;
		copies_find(im->process, rt, modules_fd(im->all->modules, rt->home.module));
	}
}

/* Makes the list of the process's mappings with the help of its runtimes. Returns 0 or -ENOMEM. */
static int lay_out(struct image *im, struct map_list *l)
{
	int err = 0;

	for (u32 i = 0; !err && i < im->process->maps->n; i++)
		err = push_mapping(im, l, &im->process->maps->v[i]);
	for (u32 r = N_RUNTIMES; !err && r--;) {
		if (!im->runtimes[r])
			continue;
		open_memory(im, r);
		if (runtimes[r]->place)
			err = runtimes[r]->place(im->runtimes[r], l);
	}
	return err;
}

static int update(struct image *im)
{
	struct map_list l = { 0 };
	int err;

	im->changed = false;
	if (!im->process->start_ns)
		process_load(im->process); /* reads the exact start time */
	if (!image_runtime(im))
		find_runtimes(im);
	find_copies(im);
	err = lay_out(im, &l);
	if (err ||
	    (has_tables(im) && l.n == im->n_maps && !memcmp(l.v, im->maps, l.n * sizeof(*l.v)))) {
		free(l.v);
		return err;
	}
	free(im->maps);
	im->maps = l.v;
	im->n_maps = l.n;
	return write_tables(im);
}

int image_update(struct image *im)
{
	struct budget b;
	int err;

	image_begin_reading(im, &b, IMAGE_READ_NS);
	err = update(im);
	image_end_reading(im, &b);
	return err;
}
