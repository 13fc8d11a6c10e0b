/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * To load the names: read every line, sort by address, keep the best name of each address,
 * compress.
 *
 *	addrs	a0  a1  a2 ... | a256 ...		offsets from base
 *	blocks	zstd("n0\0n1\0n2\0...") | zstd("n256\0...")
 *
 * An entry with an empty name marks the end of the previous function if no other function follows
 * directly, because data starts or a module ends there. Memory needed only for loading is freed
 * afterwards.
 */

#include "kallsyms.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <zstd.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/search.h"

#define MAX_SYMBOLS (1u << 20)
#define BLOCK 256 /* names per block, each of at most KALLSYMS_MAX_NAME bytes */
#define MAX_BLOCK_LEN ((size_t)BLOCK * KALLSYMS_MAX_NAME)
#define PAGE 4096ull
#define ZSTD_LEVEL 6

struct block {
	u32 off, len; /* packed, in kallsyms.packed */
};

struct kallsyms {
	const char *path;
	bool is_loaded;
	int err; /* result of loading */
	u64 base_addr;
	u32 *addrs;
	u32 n;
	struct block *blocks;
	u8 *packed;
	size_t packed_len;
	u32 unpacked; /* index of the block that is in text, plus one */
	char *text;
};

/* A symbol during loading. */
struct raw {
	u64 addr;
	u32 name_off; /* offset in names; 0: the empty name */
	char type;
};

struct loading {
	struct raw *v;
	u32 n, cap;
	char *names;
	size_t names_len, names_cap;
	u64 any_addr; /* OR of all addresses; 0 if the kernel hides them */
};

static bool is_text(char type)
{
	return strchr("tTwW", type) != NULL;
}

static int add_raw(struct loading *l, u64 addr, char type, const char *name)
{
	size_t len = strlen(name) + 1;

	if (array_reserve(l->v, l->cap, l->n + 1) ||
	    array_reserve(l->names, l->names_cap, l->names_len + len))
		return -ENOMEM;
	l->v[l->n++] = (struct raw){ addr, *name ? l->names_len : 0, type };
	if (*name || !l->names_len) {
		memcpy(l->names + l->names_len, name, len);
		l->names_len += len;
	}
	return 0;
}

static int read_lines(struct loading *l, const char *path)
{
	char buf[BUFSIZ]; /* a buffer for stdio, which would read byte by byte if it could not
			   * allocate its own */
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	struct kallsyms_line k;
	size_t cap = 0;
	ssize_t len;
	int err = f ? add_raw(l, 0, 0, "") : -errno;

	if (f)
		setvbuf(f, buf, _IOFBF, sizeof(buf));
	l->n = 0; /* remove the first entry, which was only added for name_off 0 */
	while (!err && l->n < MAX_SYMBOLS && (len = getline(&line, &cap, f)) > 0) {
		if (parse_kallsyms_line(line, len - (line[len - 1] == '\n'), &k))
			continue;
		l->any_addr |= k.addr;
		if (k.addr >> 63) /* skip per-CPU symbols, which are offsets */
			err = add_raw(l, k.addr, k.type, is_text(k.type) ? k.name : "");
	}
	if (!err && l->n < MAX_SYMBOLS && !feof(f))
		err = -EIO;
	return err;
}

/* Sorts by address, better names first. */
static int compare(const void *pa, const void *pb, void *names)
{
	const struct raw *a = pa, *b = pb;
	const char *name_a = (const char *)names + a->name_off;
	const char *name_b = (const char *)names + b->name_off;
	size_t blank_a = strspn(name_a, "_"), blank_b = strspn(name_b, "_");
	size_t len_a = strlen(name_a), len_b = strlen(name_b);

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (!len_a != !len_b)
		return len_a ? -1 : 1;
	if (blank_a != blank_b)
		return blank_a < blank_b ? -1 : 1;
	if ((a->type >= 'a') != (b->type >= 'a'))
		return a->type < b->type ? -1 : 1;
	if (len_a != len_b)
		return len_a < len_b ? -1 : 1;
	return strcmp(name_a, name_b);
}

static const char *module_of(const char *name)
{
	const char *module = strchr(name, '[');

	return module ? module : "";
}

/*
 * Keeps one entry per address, drops repeated empty names, and adds an entry for the end of the
 * last function of the kernel and of each module.
 */
static int tidy(const struct loading *in, struct loading *out)
{
	int err = add_raw(out, 0, 0, "");

	out->n = 0;
	for (u32 i = 0; !err && i < in->n; i++) {
		const char *name = in->names + in->v[i].name_off;
		u64 addr = in->v[i].addr, page_end = (addr | (PAGE - 1)) + 1;
		u32 next = i + 1;

		while (next < in->n && in->v[next].addr == addr)
			next++;
		i = next - 1;
		if (!*name && out->n && !out->v[out->n - 1].name_off)
			continue;
		err = add_raw(out, addr, 0, name);
		if (err || !*name || !page_end)
			continue;
		if (next == in->n ||
		    (in->v[next].addr > page_end &&
		     strcmp(module_of(name), module_of(in->names + in->v[next].name_off))))
			err = add_raw(out, page_end, 0, "");
	}
	return err;
}

static int pack_block(struct kallsyms *k, const struct loading *l, u32 first, ZSTD_CCtx *zstd,
		      size_t *cap)
{
	u32 n = l->n - first < BLOCK ? l->n - first : BLOCK;
	char *at = k->text;
	size_t bound, len;
	int err;

	for (u32 i = first; i < first + n; i++)
		at = stpcpy(at, l->names + l->v[i].name_off) + 1;
	bound = ZSTD_compressBound(at - k->text);
	err = array_reserve(k->packed, *cap, k->packed_len + bound);
	if (err)
		return err;
	len = ZSTD_compressCCtx(zstd, k->packed + k->packed_len, bound, k->text, at - k->text,
				ZSTD_LEVEL);
	if (ZSTD_isError(len))
		return -ENOMEM;
	k->blocks[first / BLOCK] = (struct block){ k->packed_len, len };
	k->packed_len += len;
	return 0;
}

static void zstd_free(ZSTD_CCtx **zstd)
{
	ZSTD_freeCCtx(*zstd);
}

static int pack(struct kallsyms *k, const struct loading *l)
{
	_cleanup_(zstd_free) ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t cap = 0;
	void *fit;
	int err = 0;

	if (!l->n)
		return -ENOENT;
	k->base_addr = l->v[0].addr;
	k->addrs = calloc(l->n, sizeof(*k->addrs));
	k->blocks = calloc(l->n / BLOCK + 1, sizeof(*k->blocks));
	k->text = malloc(MAX_BLOCK_LEN);
	if (!zstd || !k->addrs || !k->blocks || !k->text)
		return -ENOMEM;
	/*
	 * Offsets of 32 bits suffice, because kernel and modules are within 2 GiB of each other for
	 * relative calls.
	 */
	while (k->n < l->n && l->v[k->n].addr - k->base_addr <= 0xffffffff) {
		k->addrs[k->n] = l->v[k->n].addr - k->base_addr;
		k->n++;
	}
	for (u32 first = 0; !err && first < k->n; first += BLOCK)
		err = pack_block(k, l, first, zstd, &cap);
	if (err)
		return err;
	fit = realloc(k->packed, k->packed_len);
	k->packed = fit ? fit : k->packed;
	return 0;
}

static void loading_deinit(struct loading *l)
{
	free(l->v);
	free(l->names);
}

static int load(struct kallsyms *k)
{
	_cleanup_(loading_deinit) struct loading all = {}, best = {};
	int err = read_lines(&all, k->path);

	if (err)
		return err;
	if (!all.any_addr)
		return -EACCES;
	qsort_r(all.v, all.n, sizeof(*all.v), compare, all.names);
	err = tidy(&all, &best);
	return err ? err : pack(k, &best);
}

int kallsyms_new(struct kallsyms **out, const char *path)
{
	struct kallsyms *k = calloc(1, sizeof(*k));

	if (!k)
		return -ENOMEM;
	k->path = path;
	*out = k;
	return 0;
}

void kallsyms_free(struct kallsyms **kp)
{
	struct kallsyms *k = *kp;

	*kp = NULL;
	if (!k)
		return;
	free(k->addrs);
	free(k->blocks);
	free(k->packed);
	free(k->text);
	free(k);
}

/* The name with index @i; the block of the name stays decompressed for the next call. */
static const char *name_at(struct kallsyms *k, u32 i)
{
	const struct block *b = &k->blocks[i / BLOCK];
	const char *at = k->text;
	size_t len;

	if (k->unpacked != i / BLOCK + 1) {
		k->unpacked = 0;
		len = ZSTD_decompress(k->text, MAX_BLOCK_LEN, k->packed + b->off, b->len);
		if (ZSTD_isError(len))
			return "";
		k->unpacked = i / BLOCK + 1;
	}
	for (u32 j = 0; j < i % BLOCK; j++)
		at += strlen(at) + 1;
	return at;
}

int kallsyms_preload(struct kallsyms *k)
{
	if (!k->is_loaded) {
		k->err = load(k);
		k->is_loaded = true;
	}
	return k->err;
}

int kallsyms_lookup(struct kallsyms *k, u64 addr, char *name, size_t len, u64 *off)
{
	const char *found;
	u32 next;

	if (kallsyms_preload(k))
		return k->err;
	next = (u32)search_first(k->n, i, k->base_addr + k->addrs[i] <= addr);
	found = next ? name_at(k, next - 1) : "";
	if (!*found)
		return -ENOENT;
	snprintf(name, len, "%s", found);
	*off = addr - k->base_addr - k->addrs[next - 1];
	return 0;
}

size_t kallsyms_memory(const struct kallsyms *k)
{
	return sizeof(*k) + k->n * sizeof(*k->addrs) + (k->n / BLOCK + 1) * sizeof(*k->blocks) +
	       k->packed_len + (k->text ? MAX_BLOCK_LEN : 0);
}

u32 kallsyms_count(const struct kallsyms *k)
{
	return k->n;
}
