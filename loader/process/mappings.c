/* SPDX-License-Identifier: BSD-2-Clause */

#include "mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/search.h"

static void path_unref(struct path_ref *p)
{
	if (p && !--p->n_refs)
		free(p);
}

struct mappings *mappings_new(void)
{
	struct mappings *m = calloc(1, sizeof(*m));

	if (m)
		m->n_refs = 1;
	return m;
}

struct mappings *mappings_ref(struct mappings *m)
{
	m->n_refs++;
	return m;
}

void mappings_unref(struct mappings **mp)
{
	struct mappings *m = *mp;

	*mp = NULL;
	if (!m || --m->n_refs)
		return;
	for (u32 i = 0; i < m->n; i++)
		path_unref(m->v[i].path);
	free(m->v);
	free(m);
}

/* If the set is shared, replaces it by a private copy, which may be changed. */
static int make_own(struct mappings **mp)
{
	_cleanup_(mappings_unref) struct mappings *copy = NULL;
	struct mappings *m = *mp;
	int err;

	if (m->n_refs == 1)
		return 0;
	copy = mappings_new();
	if (!copy)
		return -ENOMEM;
	err = array_reserve(copy->v, copy->cap, m->n + 1);
	if (err)
		return err;
	if (m->n)
		memcpy(copy->v, m->v, m->n * sizeof(*m->v));
	copy->n = m->n;
	copy->n_dropped = m->n_dropped;
	for (u32 i = 0; i < copy->n; i++)
		if (copy->v[i].path)
			copy->v[i].path->n_refs++;
	m->n_refs--;
	*mp = TAKE_PTR(copy);
	return 0;
}

/* The index of the first mapping that ends after @addr. */
static u32 first_after(const struct mappings *m, u64 addr)
{
	return (u32)search_first(m->n, i, m->v[i].end_addr <= addr);
}

struct mapping *mappings_find(const struct mappings *m, u64 addr)
{
	u32 i = first_after(m, addr);

	return i < m->n && m->v[i].start_addr <= addr ? &m->v[i] : NULL;
}

static void set_start(struct mapping *map, u64 start_addr)
{
	if (map->inode)
		map->file_off += start_addr - map->start_addr;
	map->start_addr = start_addr;
}

/* Inserts a mapping at index @i. The caller has reserved room for it. */
static void insert_at(struct mappings *m, u32 i, const struct mapping *map)
{
	memmove(&m->v[i + 1], &m->v[i], (m->n - i) * sizeof(*map));
	m->v[i] = *map;
	m->n++;
}

static void remove_at(struct mappings *m, u32 i, u32 n)
{
	for (u32 j = i; j < i + n; j++)
		path_unref(m->v[j].path);
	memmove(&m->v[i], &m->v[i + n], (m->n - i - n) * sizeof(*m->v));
	m->n -= n;
}

/* Unmaps [start, end). Return: the index at which a mapping of [start, end) must be inserted. */
static u32 cut_out(struct mappings *m, u64 start, u64 end)
{
	u32 i = first_after(m, start), n = 0;

	if (i < m->n && m->v[i].start_addr < start) {
		struct mapping rest = m->v[i];

		m->v[i++].end_addr = start;
		if (rest.end_addr > end) {
			set_start(&rest, end);
			if (rest.path)
				rest.path->n_refs++;
			insert_at(m, i, &rest);
			return i;
		}
	}
	while (i + n < m->n && m->v[i + n].end_addr <= end)
		n++;
	remove_at(m, i, n);
	if (i < m->n && m->v[i].start_addr < end)
		set_start(&m->v[i], end);
	return i;
}

/* Joins the anonymous mapping at index @i with adjacent anonymous mappings. */
static void join_anon(struct mappings *m, u32 i)
{
	if (i + 1 < m->n && m->v[i + 1].is_anon && m->v[i + 1].start_addr == m->v[i].end_addr) {
		m->v[i].end_addr = m->v[i + 1].end_addr;
		remove_at(m, i + 1, 1);
	}
	if (i && m->v[i - 1].is_anon && m->v[i - 1].end_addr == m->v[i].start_addr) {
		m->v[i - 1].end_addr = m->v[i].end_addr;
		remove_at(m, i, 1);
	}
}

static bool is_anonymous(const char *path)
{
	return !*path || !strcmp(path, "//anon") || !strncmp(path, "[anon:", 6);
}

/*
 * Returns the length of a path without " (deleted)", which events and /proc append to the path of a
 * deleted file.
 */
static size_t path_len(const char *text)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(text), n = sizeof(deleted) - 1;

	return len > n && !strcmp(text + len - n, deleted) ? len - n : len;
}

/* Adjacent mappings of one file share one copy of its path. */
static struct path_ref *path_for(const struct mappings *m, u32 i, const char *text)
{
	size_t len = path_len(text);
	struct path_ref *p;

	for (u32 j = i ? i - 1 : 0; j <= i && j < m->n; j++) {
		p = m->v[j].path;
		if (p && strlen(p->text) == len && !memcmp(p->text, text, len)) {
			p->n_refs++;
			return p;
		}
	}
	p = malloc(sizeof(*p) + len + 1);
	if (!p)
		return NULL;
	p->n_refs = 1;
	memcpy(p->text, text, len);
	p->text[len] = '\0';
	return p;
}

int mappings_add(struct mappings **mp, const struct process_mmap_event *e, u64 seen_ns)
{
	struct mapping map = {
		.start_addr = e->start_addr,
		.end_addr = e->start_addr + e->len,
		.file_off = e->inode ? e->file_off : 0,
		.inode = e->inode,
		.inode_gen = e->inode_gen,
		.dev_major = e->dev_major,
		.dev_minor = e->dev_minor,
		.seen_ns = seen_ns,
		.is_anon = !e->inode && is_anonymous(e->path),
	};
	struct mappings *m;
	u32 i;
	int err;

	if (map.end_addr <= map.start_addr)
		return -EINVAL;
	err = make_own(mp);
	m = *mp;
	if (!err)
		err = array_reserve(m->v, m->cap, m->n + 2); /* room for the new mapping, and for
							      * one that is split */
	if (err)
		return err;
	i = cut_out(m, map.start_addr, map.end_addr);
	if (m->n >= MAPPINGS_MAX) {
		m->n_dropped++;
		return -E2BIG;
	}
	if (!map.is_anon) {
		map.path = path_for(m, i, e->path);
		if (!map.path)
			return -ENOMEM;
	}
	insert_at(m, i, &map);
	if (map.is_anon)
		join_anon(m, i);
	return 0;
}
