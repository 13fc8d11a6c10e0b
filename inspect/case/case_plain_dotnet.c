// SPDX-License-Identifier: BSD-2-Clause

/*
 * CoreCLR records in its own memory all code of its process: where code heaps lie, the nibble maps
 * that find methods in them, and which ranges are stubs. A plain core contains that memory, so the
 * mappings come from the runtime as in a live process.
 *
 * ReadyToRun code and its unwind rows are in files. Such a file has no build id; instead, the file
 * is accepted if the image's headers in the core equal the headers in the file. A core contains
 * these headers if the process's coredump_filter has bit 2 (file-backed private mappings).
 */

#include "case_opened.h"
#include "case_target.h"

#include "../dotnet/dotnet.h"
#include "../dotnet/r2r_rows.h"
#include "../util/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* The load bias, from the first mapping of CoreCLR that is code. */
static int find_bias(const struct case_opened *o, u64 *bias)
{
	const struct elf_file *elf = o->modules.at[o->modules.dotnet - 1];

	for (u32 i = 0; i < o->core.n_files; i++)
		if (o->modules.of[i] == o->modules.dotnet &&
		    !elf_file_bias(elf, o->core.files[i].start_addr, o->core.files[i].file_off,
				   bias))
			return 0;
	return -ENOENT;
}

static int overlay(const struct case_opened *o, struct map_list *l)
{
	int err = 0;

	for (u32 i = 0; !err && i < o->c.n_mappings; i++)
		err = map_list_push(l, &o->c.mappings[i].map);
	return err ? err : dotnet_ranges_overlay(o->dotnet, o->n_dotnet, l);
}

static int take_mappings(struct case_opened *o, const struct map_list *l)
{
	struct case_mapping *v = calloc(l->n + 1ul, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (u32 i = 0; i < l->n; i++) {
		u32 module = l->v[i].module;
		const struct elf_file *elf = module ? o->modules.at[module - 1] : NULL;

		v[i] = (struct case_mapping){ l->v[i],
					      module ? o->core.files[module - 1].path : NULL,
					      elf ? elf_file_build_id(elf) : NULL };
	}
	free((void *)o->c.mappings);
	o->c.mappings = v;
	o->c.n_mappings = l->n;
	return 0;
}

int case_plain_add_dotnet(struct case_opened *o)
{
	_cleanup_(dotnet_runtime_free) struct dotnet_runtime *rt = NULL;
	struct map_list l = { 0 };
	struct case_target t;
	u64 bias;
	int err;

	case_target_init(&t, &o->c);
	if (!o->modules.dotnet || find_bias(o, &bias))
		return 0;
	err = dotnet_runtime_new(&rt, o->modules.dotnet_build, &t.target, bias);
	if (!err)
		err = dotnet_ranges_get(rt, &o->dotnet, &o->n_dotnet);
	if (err)
		return err == -ENOMEM ? err : 0; /* the core lacks the runtime's records */
	err = overlay(o, &l);
	if (!err)
		err = take_mappings(o, &l);
	free(l.v);
	return err;
}

static const struct dotnet_range *range_at(const struct case_opened *o, u64 pc)
{
	for (u32 i = 0; i < o->n_dotnet; i++)
		if (pc >= o->dotnet[i].start_addr && pc < o->dotnet[i].end_addr)
			return &o->dotnet[i];
	return NULL;
}

static const struct case_mapping *mapping_at(const struct case_opened *o, u64 pc)
{
	for (u32 i = 0; i < o->c.n_mappings; i++)
		if (pc >= o->c.mappings[i].map.start_addr && pc < o->c.mappings[i].map.end_addr)
			return &o->c.mappings[i];
	return NULL;
}

/* Opens the file of an image, if the process mapped that file. */
static int open_image(const struct case_opened *o, const char *path, u64 base, u64 image_off)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || !case_page_is_of_file(&o->core, base, fd, image_off))
		return -ESTALE;
	return TAKE_FD(fd);
}

int case_plain_image_rows(struct case_opened *o, u64 pc, u64 page_off, struct rules *rules,
			  u32 *rows, u32 *n)
{
	const struct dotnet_range *range = range_at(o, pc);
	const struct case_mapping *m = mapping_at(o, pc);
	_cleanup_(r2r_rows_free) struct r2r_rows *r = NULL;
	_cleanup_close_ int fd = -1;
	struct case_target t;
	u64 image_off;
	int err;

	if (!range || range->kind != DOTNET_RANGE_R2R || !m || !m->path)
		return -ENOENT;
	case_target_init(&t, &o->c);
	err = r2r_rows_image_off(&t.target, range->start_addr, m->map.start_addr, m->map.end_addr,
				 m->map.file_off, &image_off);
	if (err)
		return err;
	fd = open_image(o, m->path, range->start_addr, image_off);
	if (fd < 0)
		return fd;
	err = r2r_rows_open(&r, fd, image_off);
	return err ? err : r2r_rows_page(r, rules, page_off, rows, n);
}
