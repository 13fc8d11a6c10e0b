// SPDX-License-Identifier: BSD-2-Clause

/*
 * pack OUT CASE|DIR...: writes the walks of cases for guests to repeat
 * (pack.h). The program runs `unspool-sim run`, but replaces the kernel engine
 * by an engine that writes each walk to the pack. Of an executed case, it
 * writes only a few walks and the last one. Other tests check whether the
 * native walk is right.
 */

#include "pack.h"

#include "../../sim/mem/image.h"
#include "../../sim/run/run.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CHUNKS (1u << 20)
#define KERNEL 2 /* index of the kernel engine in sim_engines */

struct chunk {
	u8 bytes[PACK_CHUNK_LEN];
	u32 number;
};

struct packer {
	struct sim_session session;
	const char *name; /* name of the case */
	u32 n_asked; /* number of walks of this case so far */
	void *tree; /* tree of chunks, ordered by their bytes */
	struct chunk **chunks;
	u32 n_chunks, n_walks;
	FILE *walks; /* the file's last part, which follows the chunks */
	char *waiting; /* the last walk, if not yet written */
	size_t waiting_len;
};

static struct packer packers[SIM_N_ARCHS]; /* the first stores the chunks and walks of both */

static int by_bytes(const void *a, const void *b)
{
	return memcmp(a, b, PACK_CHUNK_LEN);
}

/*
 * Returns the number of the chunk with these bytes. Chunks are never freed
 * explicitly.
 */
static u32 number_of(struct packer *p, const u8 *bytes, size_t len)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk)), **found;

	if (!p->chunks)
		p->chunks = calloc(MAX_CHUNKS, sizeof(struct chunk *));
	if (!chunk || !p->chunks || p->n_chunks == MAX_CHUNKS)
		abort();
	memcpy(chunk->bytes, bytes, len);
	found = tsearch(chunk, &p->tree, by_bytes);
	if (!found)
		abort();
	if (*found != chunk) {
		free(chunk);
		return (*found)->number;
	}
	chunk->number = p->n_chunks;
	p->chunks[p->n_chunks++] = chunk;
	return chunk->number;
}

static void put(FILE *to, const void *bytes, size_t len)
{
	fwrite(bytes, 1, len, to);
}

static void put_blob(FILE *to, const void *bytes, u64 len)
{
	put(to, &len, sizeof(len));
	for (u64 at = 0; at < len; at += PACK_CHUNK_LEN) {
		u64 left = len - at;
		u32 number = number_of(&packers[0], (const u8 *)bytes + at,
				       left < PACK_CHUNK_LEN ? left : PACK_CHUNK_LEN);

		put(to, &number, sizeof(number));
	}
}

/* Returns true if the walk tried to read this page. */
static bool is_read(const struct sim_walk *found, u64 page)
{
	for (u32 i = 0; i < found->log.n; i++) {
		const struct sim_read *r = &found->reads[i];

		if (r->addr < page + SIM_PAGE_LEN && page < r->addr + r->len)
			return true;
	}
	return false;
}

/*
 * Adds the pages of a region that the walk read, as regions of one page, and
 * returns their number. Other pages are not needed: a repeated walk that reads
 * one has another result anyway.
 */
static u32 put_region(FILE *to, const struct sim_region *r, const struct sim_walk *found)
{
	u32 n = 0;

	for (u64 i = 0; i < r->len / SIM_PAGE_LEN; i++) {
		u64 page = r->addr + i * SIM_PAGE_LEN;

		if (!(r->pages[i] & SIM_MAPPED) || !is_read(found, page))
			continue;
		n++;
		if (!to)
			continue;
		put(to, &page, sizeof(page));
		put_blob(to, &r->pages[i], 1);
		put_blob(to, r->bytes + i * SIM_PAGE_LEN, SIM_PAGE_LEN);
	}
	return n;
}

/* Returns the number of regions added; if @to is NULL, only counts them. */
static u32 put_regions(FILE *to, const struct sim_region *regions, size_t n,
		       const struct sim_walk *found)
{
	u32 n_pages = 0;

	for (size_t i = 0; i < n; i++)
		n_pages += put_region(to, &regions[i], found);
	return n_pages;
}

static void put_walk(FILE *to, const struct packer *p, const struct sim_target *t,
		     const struct sim_walk *found, u32 n_regions)
{
	const struct uw_sample *s = &found->state.sample;
	struct pack_walk walk = { .is_arm64 = p->session.arch == &sim_arch_arm64,
				  .n_regions = n_regions,
				  .regs = t->regs,
				  .extent = t->extent,
				  .va_mask = t->va_mask };

	snprintf(walk.name, sizeof(walk.name), "%s", p->name);
	put(to, &walk, sizeof(walk));
	put_blob(to, t->mappings, t->n_mappings * sizeof(*t->mappings));
	put_blob(to, t->v8_builds, t->n_v8_builds * sizeof(*t->v8_builds));
	put_blob(to, t->row_pages, t->n_row_pages * sizeof(*t->row_pages));
	put_blob(to, t->rows, t->n_rows * sizeof(*t->rows));
	put_blob(to, t->rules, t->n_rules * sizeof(*t->rules));
	put_blob(to, s, offsetof(struct uw_sample, frames) + s->n_frames * sizeof(s->frames[0]));
	put_blob(to, found->reads, found->log.n * sizeof(found->reads[0]));
}

/* Writes the pending walk. */
static void flush_walk(struct packer *p)
{
	if (!p->waiting)
		return;
	put(packers[0].walks, p->waiting, p->waiting_len);
	free(p->waiting);
	p->waiting = NULL;
	packers[0].n_walks++;
}

/*
 * Repeats the native walk. The 1st, 2nd, 4th, 8th walk and so on of a case are
 * packed.
 */
static int pack_walk(struct sim_session *session, const struct sim_target *target,
		     struct sim_walk *out)
{
	struct packer *p = (struct packer *)session;
	const struct sim_region *regions;
	size_t n;
	FILE *to;
	int err;

	session->arch->walk(&out->state, target);
	/* The BPF program sets these flags itself, so there the walk can't begin with them. */
	if (target->sample_flags)
		return 0;
	if (!target->mem->ops->pages || out->log.n > SIM_MAX_READS)
		return -EOPNOTSUPP;
	err = target->mem->ops->pages(target->mem, &regions, &n);
	if (err)
		return err;
	free(p->waiting);
	p->waiting = NULL;
	to = open_memstream(&p->waiting, &p->waiting_len);
	if (!to)
		return -ENOMEM;
	put_walk(to, p, target, out, put_regions(NULL, regions, n, out));
	put_regions(to, regions, n, out);
	if (fclose(to))
		return -ENOMEM;
	p->n_asked++;
	if ((p->n_asked & (p->n_asked - 1)) == 0)
		flush_walk(p);
	return err;
}

static void pack_close(struct sim_session *session)
{
	(void)session;
}

static const struct sim_engine engine = { "pack", NULL, pack_walk, pack_close };

static int pack_path(void *ctx, const char *path, const struct sim_arch *arch)
{
	struct packer *p = &packers[arch == sim_archs[0] ? 0 : 1];
	struct sim_error error = { "out of memory" };
	struct sim_runner *r = ctx;
	struct sim_case *c = NULL;
	int err = sim_case_load(path, arch, &c, &error);

	if (err == -ENOTSUP)
		return 0;
	if (err)
		return sim_run_broken(r, path, arch, error.text);
	p->name = c->name;
	p->n_asked = 0;
	err = sim_run_case(r, c);
	flush_walk(p);
	sim_case_free(path, &c);
	return err;
}

static int write_pack(const char *path, const struct packer *p, const char *walks, size_t len)
{
	struct pack_head head = { PACK_MAGIC, p->n_chunks, p->n_walks };
	FILE *out = fopen(path, "we");

	if (!out)
		return -errno;
	put(out, &head, sizeof(head));
	for (u32 i = 0; i < p->n_chunks; i++)
		put(out, p->chunks[i]->bytes, PACK_CHUNK_LEN);
	put(out, walks, len);
	return fclose(out) ? -errno : 0;
}

static int pack_all(const struct sim_options *o, struct sim_runner *r)
{
	int err = sim_sessions_open(o->archs, (const bool[SIM_N_ENGINES]){ true }, &r->sessions);

	for (u32 a = 0; a < SIM_N_ARCHS && !err; a++) {
		packers[a].session = (struct sim_session){ &engine, sim_archs[a], "" };
		r->sessions.at[a][KERNEL] = &packers[a].session;
	}
	if (!err)
		err = sim_options_each(o, pack_path, r);
	sim_sessions_close(&r->sessions);
	return err ? err : r->n_broken || !packers[0].n_walks ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	struct sim_options o;
	struct sim_runner r = { .options = &o,
				.native = calloc(1, sizeof(*r.native)),
				.other = calloc(1, sizeof(*r.other)),
				.out = { .people = fopen("/dev/null", "we") } };
	struct sim_error error;
	char *walks = NULL;
	size_t len = 0;
	int err = argc < 3 || !r.native || !r.other || !r.out.people ? -EINVAL : 0;

	sim_options_init(&o);
	o.engines[KERNEL] = o.is_quiet = true;
	for (int i = 2; i < argc && !err; i++)
		if ((err = sim_paths_add(&o.paths, argv[i], &error)))
			fprintf(stderr, "pack: %s\n", error.text);
	packers[0].walks = open_memstream(&walks, &len);
	if (!err && packers[0].walks)
		err = pack_all(&o, &r);
	if (!packers[0].walks || fclose(packers[0].walks))
		err = -ENOMEM;
	if (!err)
		err = write_pack(argv[1], &packers[0], walks, len);
	printf("packed %llu cases, %u walks, %u chunks: %s\n", r.n_cases, packers[0].n_walks,
	       packers[0].n_chunks, err ? strerror(-err) : "ok");
	return err != 0;
}
