// SPDX-License-Identifier: BSD-2-Clause

#include "cases.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int pack_open(const char *path, struct pack *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const struct pack_head *head;
	struct stat st;
	u8 *bytes;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || st.st_size < (off_t)sizeof(*head)) {
		close(fd);
		return -EINVAL;
	}
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -errno;
	head = (const struct pack_head *)bytes;
	if (head->magic != PACK_MAGIC)
		return -EINVAL;
	*out = (struct pack){ bytes, bytes + sizeof(*head) + (u64)head->n_chunks * PACK_CHUNK_LEN,
			      st.st_size, head->n_walks, head->n_chunks };
	return out->at <= bytes + st.st_size ? 0 : -EINVAL;
}

static int packed_pages(struct sim_mem *mem, const struct sim_region **out, size_t *n)
{
	const struct packed_walk *w = (const struct packed_walk *)mem;

	*out = w->regions;
	*n = w->head.n_regions;
	return 0;
}

static const struct sim_mem_ops packed_ops = { .name = "pack", .pages = packed_pages };

static int take(struct pack *p, void *out, u64 len)
{
	if (len > (u64)(p->bytes + p->len - p->at))
		return -ENODATA;
	memcpy(out, p->at, len);
	p->at += len;
	return 0;
}

/*
 * Takes the next blob. Sets *@out to NULL for an empty blob; otherwise the
 * caller frees it.
 */
static int take_blob(struct pack *p, void **out, u64 *len)
{
	u8 *blob = NULL;
	u64 n, room;
	u32 number;
	int err = take(p, &n, sizeof(n));

	if (err)
		return err;
	room = (n + PACK_CHUNK_LEN - 1) / PACK_CHUNK_LEN * PACK_CHUNK_LEN;
	if (n > SIM_IMAGE_MAX_LEN || (n && !(blob = aligned_alloc(PACK_CHUNK_LEN, room))))
		return -ENOMEM;
	for (u64 at = 0; at < n && !err; at += PACK_CHUNK_LEN) {
		err = take(p, &number, sizeof(number));
		if (!err && number >= p->n_chunks)
			err = -EINVAL;
		if (!err)
			memcpy(blob + at,
			       p->bytes + sizeof(struct pack_head) + (u64)number * PACK_CHUNK_LEN,
			       PACK_CHUNK_LEN);
	}
	if (err) {
		free(blob);
		return err;
	}
	*out = blob;
	*len = n;
	return 0;
}

static int take_regions(struct pack *p, struct packed_walk *w)
{
	int err = 0;

	w->regions = calloc(w->head.n_regions + 1, sizeof(*w->regions));
	if (!w->regions)
		return -ENOMEM;
	for (u32 i = 0; i < w->head.n_regions && !err; i++) {
		struct sim_region *r = &w->regions[i];
		u64 n_pages;

		err = take(p, &r->addr, sizeof(r->addr));
		if (!err)
			err = take_blob(p, (void **)&r->pages, &n_pages);
		if (!err)
			err = take_blob(p, (void **)&r->bytes, &r->len);
		if (!err && r->len != n_pages * SIM_PAGE_LEN)
			err = -EINVAL;
	}
	return err;
}

static int take_tables(struct pack *p, struct packed_walk *w)
{
	u64 len[PACK_N_BLOBS];
	struct sim_target *t = &w->target;
	int err = 0;

	for (u32 i = 0; i < PACK_N_BLOBS && !err; i++)
		err = take_blob(p, &w->blobs[i], &len[i]);
	if (err || len[PACK_SAMPLE] > sizeof(w->found->state.sample) ||
	    len[PACK_READS] > sizeof(w->found->reads))
		return err ? err : -EINVAL;
	t->mappings = w->blobs[PACK_MAPPINGS];
	t->n_mappings = len[PACK_MAPPINGS] / sizeof(*t->mappings);
	t->v8_builds = w->blobs[PACK_V8_BUILDS];
	t->n_v8_builds = len[PACK_V8_BUILDS] / sizeof(*t->v8_builds);
	t->row_pages = w->blobs[PACK_ROW_PAGES];
	t->n_row_pages = len[PACK_ROW_PAGES] / sizeof(*t->row_pages);
	t->rows = w->blobs[PACK_ROWS];
	t->n_rows = len[PACK_ROWS] / sizeof(*t->rows);
	t->rules = w->blobs[PACK_RULES];
	t->n_rules = len[PACK_RULES] / sizeof(*t->rules);
	memcpy(&w->found->state.sample, w->blobs[PACK_SAMPLE], len[PACK_SAMPLE]);
	w->found->log.n = len[PACK_READS] / sizeof(w->found->reads[0]);
	if (len[PACK_READS])
		memcpy(w->found->reads, w->blobs[PACK_READS], len[PACK_READS]);
	return 0;
}

int pack_next(struct pack *p, struct packed_walk **out)
{
	struct packed_walk *w = calloc(1, sizeof(*w));
	int err = w ? take(p, &w->head, sizeof(w->head)) : -ENOMEM;

	if (!err && !(w->found = calloc(1, sizeof(*w->found))))
		err = -ENOMEM;
	if (!err)
		err = take_tables(p, w);
	if (!err)
		err = take_regions(p, w);
	if (err) {
		packed_walk_free(&w);
		return err;
	}
	w->mem.ops = &packed_ops;
	w->target.mem = &w->mem;
	w->target.regs = w->head.regs;
	w->target.extent = w->head.extent;
	w->target.va_mask = w->head.va_mask;
	w->head.name[sizeof(w->head.name) - 1] = 0;
	*out = w;
	return 0;
}

void packed_walk_free(struct packed_walk **w)
{
	for (u32 i = 0; *w && (*w)->regions && i < (*w)->head.n_regions; i++) {
		free((*w)->regions[i].pages);
		free((*w)->regions[i].bytes);
	}
	for (u32 i = 0; *w && i < PACK_N_BLOBS; i++)
		free((*w)->blobs[i]);
	if (*w) {
		free((*w)->regions);
		free((*w)->found);
	}
	free(*w);
	*w = NULL;
}
