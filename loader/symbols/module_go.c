/* SPDX-License-Identifier: BSD-2-Clause */

#include "module_go.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../inspect/go/go_frames.h"
#include "../../inspect/util/cleanup.h"
#include "helper_wire.h"

struct module_go {
	struct elf_file *file;
	struct go_table *table;
};

int module_go_open(struct module_go **out, int fd)
{
	_cleanup_(module_go_free) struct module_go *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	err = elf_file_open_fd(&g->file, fd);
	if (!err)
		err = go_table_open(&g->table, g->file);
	if (!err)
		*out = TAKE_PTR(g);
	return err;
}

void module_go_free(struct module_go **out)
{
	struct module_go *g = TAKE_PTR(*out);

	if (!g)
		return;
	go_table_free(&g->table);
	elf_file_free(&g->file);
	free(g);
}

struct list {
	FILE *text;
	u32 n;
};

static int add(const struct lines_frame *f, void *data)
{
	struct helper_frame head = { f->line, f->column, f->start_line, f->inlined };
	struct list *l = data;

	l->n++;
	fwrite(&head, sizeof(head), 1, l->text);
	fputs(f->name ? f->name : "", l->text);
	fputc(0, l->text);
	fputs(f->file ? f->file : "", l->text);
	fputc(0, l->text);
	return ferror(l->text) ? -ENOMEM : 0;
}

bool module_go_enter(const struct module_go *g, struct lines_cache *c, const struct lines_key *key)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	struct list l = { .text = open_memstream(&text, &len) };
	int err;

	if (!l.text)
		return false;
	err = go_frames(g->table, key->addr, add, &l);
	if (fclose(l.text) || err || len > HELPER_MAX_PACKET)
		return false;
	lines_cache_put(c, key, &(struct lines_known){ l.n, (u32)len, text });
	return true;
}
