/* SPDX-License-Identifier: BSD-2-Clause */

#include "debug_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/elf/debug_link.h"
#include "../../inspect/go/go_frames.h"
#include "../../inspect/symbols/lines.h"
#include "../../inspect/symbols/symbols.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/cli.h"
#include "../profile/intern.h"
#include "debug_index.h"

#define MAX_OPEN 128 /* modules whose files are open; each takes up to four descriptors */
#define MAX_MISSING_BYTES (1u << 20) /* memory for build ids without a file */
#define MAX_DEBUG_LEN (1ull << 30) /* limit of debug sections of a file */

/* The files of one build id. */
struct debug_module {
	char *build_id; /* NULL: the slot is empty */
	struct elf_file *file, *alt; /* NULL: none */
	struct symbols *symbols;
	struct lines *lines;
};

struct debug_dir {
	int fd;
	struct debug_index *index;
	struct debug_module modules[MAX_OPEN];
	u32 next; /* slot of the next module */
	char name[SYMBOLS_NAME_LEN], *source; /* strings of the last frame */
	struct lines_frame at; /* the function at the address of the last frame */
	const struct lines *lines; /* of the module of the last frame */
	u64 addr;
	struct intern missing; /* build ids without a file */
	char *missing_path; /* module of the first of them */
};

int debug_dir_new(struct debug_dir **dir, const char *path)
{
	_cleanup_(debug_dir_free) struct debug_dir *d = calloc(1, sizeof(*d));
	int err;

	if (!d)
		return -ENOMEM;
	d->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (d->fd < 0)
		return -errno;
	intern_init(&d->missing, MAX_MISSING_BYTES);
	err = debug_index_new(&d->index, d->fd, DEBUG_DIR_MAX_FILES, DEBUG_DIR_MAX_DEPTH);
	if (!err)
		*dir = TAKE_PTR(d);
	return err;
}

int debug_dir_open(struct debug_dir **d, const char *path)
{
	int err = debug_dir_new(d, path);

	if (err)
		cli_error("--debug-dir %s: %s", path, strerror(-err));
	return err;
}

static void module_deinit(struct debug_module *m)
{
	lines_free(&m->lines);
	symbols_free(&m->symbols);
	elf_file_free(&m->alt);
	elf_file_free(&m->file);
	free(m->build_id);
	*m = (struct debug_module){ 0 };
}

void debug_dir_free(struct debug_dir **dir)
{
	struct debug_dir *d = TAKE_PTR(*dir);

	if (!d)
		return;
	for (u32 i = 0; i < MAX_OPEN; i++)
		module_deinit(&d->modules[i]);
	debug_index_free(&d->index);
	cleanup_close(&d->fd);
	intern_deinit(&d->missing);
	free(d->missing_path);
	free(d->source);
	free(d);
}

/* Opens what is there; without symbols or lines, the module names less or nothing. */
static void open_files(struct debug_dir *d, struct debug_module *m)
{
	struct debug_altlink link;

	if (debug_index_open(d->index, m->build_id, &m->file))
		return;
	symbols_new(&m->symbols, m->file, m->file, go_symbols);
	if (!debug_altlink_read(m->file, &link))
		debug_index_open(d->index, link.build_id, &m->alt);
	lines_new(&m->lines, m->file, m->alt, MAX_DEBUG_LEN);
}

static const struct debug_module *module_of(struct debug_dir *d, const char *build_id)
{
	struct debug_module *m;

	for (u32 i = 0; i < MAX_OPEN; i++)
		if (d->modules[i].build_id && !strcmp(d->modules[i].build_id, build_id))
			return &d->modules[i];
	m = &d->modules[d->next++ % MAX_OPEN];
	module_deinit(m);
	m->build_id = strdup(build_id);
	if (m->build_id)
		open_files(d, m);
	return m;
}

/* Keeps the function itself, which is the last frame. */
static int keep_frame(const struct lines_frame *f, void *data)
{
	struct debug_dir *d = data;

	if (f->inlined)
		return 0;
	d->at = *f;
	d->at.name = NULL;
	if (f->name && !d->name[0])
		lines_demangle(d->lines, d->addr, f->name, d->name, sizeof(d->name));
	free(d->source);
	d->source = f->file ? strdup(f->file) : NULL;
	d->at.file = d->source;
	return 0;
}

/* Finds the function at an address. Return: whether its name is known. */
static bool find(struct debug_dir *d, const struct debug_module *m, u64 addr)
{
	u64 off;

	d->at = (struct lines_frame){ 0 };
	if (!m->symbols || symbols_lookup(m->symbols, addr, d->name, sizeof(d->name), &off))
		d->name[0] = 0;
	d->lines = m->lines;
	d->addr = addr;
	if (m->lines)
		lines_lookup(m->lines, addr, keep_frame, d);
	return d->name[0];
}

static void note_missing(struct debug_dir *d, const struct prof_frame *f)
{
	u32 idx;

	if (intern_add(&d->missing, f->build_id, strlen(f->build_id) + 1, &idx) == 1 && !idx)
		d->missing_path = strdup(f->module ? f->module : "");
}

static bool name_frame(void *data, struct prof_frame *f)
{
	struct debug_dir *d = data;
	const struct debug_module *m;

	if (f->kind != PROF_NATIVE || f->name || !f->build_id || !f->addr)
		return false;
	m = module_of(d, f->build_id);
	if (!m->file)
		note_missing(d, f);
	if (!find(d, m, f->addr))
		return false;
	f->name = d->name;
	f->file = d->at.file;
	f->line = d->at.line;
	f->column = d->at.column;
	f->start_line = d->at.start_line;
	f->off = f->start_off = f->addr = 0;
	f->has_off = false;
	return true;
}

void debug_dir_attach(struct debug_dir *d, struct prof_reader *r)
{
	if (d)
		prof_reader_change_frames(r, name_frame, d);
}

u32 debug_dir_missing(const struct debug_dir *d, const char **path, const char **build_id)
{
	size_t len;

	if (!d || !d->missing.n)
		return 0;
	*path = d->missing_path ? d->missing_path : "";
	*build_id = intern_key(&d->missing, 0, &len);
	return d->missing.n;
}

void debug_dir_print_missing(const struct debug_dir *d)
{
	const char *path, *build_id;
	u32 n = debug_dir_missing(d, &path, &build_id);
	char more[32] = "";

	if (n > 1)
		snprintf(more, sizeof(more), " (and of %u more)", n - 1);
	if (n)
		cli_error("--debug-dir: no file has the build id %.40s of %s%s", build_id, path,
			  more);
}
