/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Building the table: collect candidates, sort them by (address, worse first), keep the best of
 * each address, and compute missing lengths. A symbol without a length ends where the FDE of its
 * address ends; without an FDE, it ends before the next FDE or symbol.
 *
 * A symbol without a length is dropped if it is inside a function with a length, as a label of a
 * loop in assembly is. Functions can overlap, so if the nearest function below an address does not
 * contain it, a lookup tries a few more functions below the nearest one.
 */

#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

#include "../dotnet/aot_code.h"
#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/file_read.h"
#include "../util/search.h"
#include "../unwind/cfi_entries.h"
#include "plt.h"
#include "symbols.h"

#define MAX_SYMBOLS (8u << 20)
#define MAX_MANGLED 4096
/* The maximum length assumed for a function whose symbol has no length. */
#define MAX_GUESSED_LEN 4096
#define MAX_WALK_BACK 16

/* A flag in name_off; larger offsets of names are rejected. */
#define IS_STUB (1u << 31)

struct symbol {
	u64 addr;
	u32 len;
	u32 name_off; /* file offset of the name */
};

struct symbols {
	int fd;
	struct timespec changed;
	struct elf_segment *segments;
	size_t n_segments;
	struct symbol *table;
	size_t n;
	bool has_symtab;
	struct aot_code aot;
	u64 as_is, as_is_end; /* file offsets of the names that are shown unchanged */
};

/* A symbol while the table is built. */
struct candidate {
	struct symbol symbol;
	u32 rank; /* lower is better */
	u32 underscores;
};

struct collection {
	struct symbols *symbols;
	struct candidate *items;
	size_t n, room;
	bool lacks_len; /* some candidate has no length */
	struct cfi_section fdes; /* of the file with the code; empty unless lacks_len */
};

static bool is_function(const struct elf_symbol *s)
{
	if (!s->defined || !s->name[0])
		return false;
	if (s->type == STT_FUNC || s->type == STT_GNU_IFUNC)
		return true;
	/* "$x" and "$d" mark code and data on arm64. */
	return s->type == STT_NOTYPE && s->in_text && s->name[0] != '$';
}

static int add(struct collection *c, const struct candidate *candidate)
{
	if (c->n == MAX_SYMBOLS || array_reserve(c->items, c->room, c->n + 1))
		return -ENOMEM;
	c->items[c->n++] = *candidate;
	return 0;
}

static int collect(const struct elf_symbol *s, void *data)
{
	struct collection *c = data;

	c->symbols->has_symtab |= !s->is_dynamic;
	if (!is_function(s) || s->name_off >= IS_STUB)
		return 0;
	c->lacks_len |= !s->len;
	return add(c, &(struct candidate){
			      .symbol = { .addr = s->addr,
					  .len = s->len < UINT32_MAX ? (u32)s->len : UINT32_MAX,
					  .name_off = (u32)s->name_off },
			      .rank = (s->len ? 0 : 4) + (s->type == STT_NOTYPE ? 2 : 0) +
				      (s->bind == STB_GLOBAL ? 0 : 1),
			      .underscores = (u32)strspn(s->name, "_"),
		      });
}

/*
 * Adds a function of the other table. Names of this table take precedence, because the names of
 * generic functions in .symtab of a Go program are longer.
 */
static int collect_named(const struct symbols_named *s, void *data)
{
	struct collection *c = data;
	struct symbols *to = c->symbols;

	if (s->name_off >= IS_STUB)
		return 0;
	if (to->as_is == to->as_is_end || s->name_off < to->as_is)
		to->as_is = s->name_off;
	if (s->name_off >= to->as_is_end)
		to->as_is_end = s->name_off + 1;
	return add(c, &(struct candidate){ .symbol = { .addr = s->addr,
						       .len = (u32)s->len,
						       .name_off = (u32)s->name_off } });
}

static int collect_stub(const struct plt_stub *s, void *data)
{
	if (s->name_off >= IS_STUB)
		return 0;
	return add(data,
		   &(struct candidate){ .symbol = { .addr = s->addr,
						    .len = (u32)s->len,
						    .name_off = (u32)s->name_off | IS_STUB } });
}

static int compare(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->symbol.addr != b->symbol.addr)
		return a->symbol.addr < b->symbol.addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores ? -1 : 1;
	/*
	 * Symbols that are equal so far may have any order, as long as the order is always the
	 * same.
	 */
	return (a->symbol.name_off > b->symbol.name_off) -
	       (a->symbol.name_off < b->symbol.name_off);
}

/*
 * Finds the end of the FDE that covers an address, or else the limit that the next FDE sets. Only
 * the start of an FDE is certainly the start of a function, so if the file has no .symtab, all
 * other addresses end at once.
 */
static u64 find_end(struct collection *c, u64 addr)
{
	u64 start = 0, end = addr + MAX_GUESSED_LEN;
	struct cfi_fde fde;
	int err = c->fdes.n ? cfi_section_gap(&c->fdes, addr, &start, &end) : 0;

	if (err == -ENOENT && !cfi_section_covering(&c->fdes, addr, &fde) &&
	    (fde.start == addr || c->symbols->has_symtab))
		return fde.end;
	return c->symbols->has_symtab ? end : addr;
}

/* The distance to the end of the FDE, to the next symbol or to the end of the segment. */
static u32 guess_len(struct collection *c, u64 addr, const struct candidate *next)
{
	const struct symbols *s = c->symbols;
	u64 len = find_end(c, addr) - addr;

	if (next && len > next->symbol.addr - addr)
		len = next->symbol.addr - addr;
	for (size_t i = 0; i < s->n_segments; i++) {
		const struct elf_segment *seg = &s->segments[i];
		u64 off = addr - seg->addr;

		if (off < seg->mem_len && len > seg->mem_len - off)
			len = seg->mem_len - off;
	}
	return len < UINT32_MAX ? (u32)len : UINT32_MAX;
}

static int make_table(struct symbols *s, struct collection *c)
{
	u64 end = 0;
	size_t i, next;

	s->table = calloc(c->n ? c->n : 1, sizeof(*s->table));
	if (!s->table)
		return -ENOMEM;
	if (c->n)
		qsort(c->items, c->n, sizeof(*c->items), compare);
	for (i = 0; i < c->n; i = next) {
		struct symbol symbol = c->items[i].symbol;

		for (next = i + 1; next < c->n && c->items[next].symbol.addr == symbol.addr;)
			next++;
		if (!symbol.len && symbol.addr >= end)
			symbol.len =
				guess_len(c, symbol.addr, next < c->n ? &c->items[next] : NULL);
		if (!symbol.len)
			continue;
		s->table[s->n++] = symbol;
		if (symbol.addr + symbol.len > end)
			end = symbol.addr + symbol.len;
	}
	return 0;
}

static int take_segments(struct symbols *s, const struct elf_file *f)
{
	const struct elf_segment *segments = elf_file_segments(f, &s->n_segments);

	s->segments = calloc(s->n_segments ? s->n_segments : 1, sizeof(*segments));
	if (!s->segments)
		return -ENOMEM;
	memcpy(s->segments, segments, s->n_segments * sizeof(*segments));
	return 0;
}

static void collection_deinit(struct collection *c)
{
	cfi_section_deinit(&c->fdes);
	free(c->items);
}

int symbols_new(struct symbols **symbols, struct elf_file *f, struct elf_file *code,
		symbols_table_fn *table)
{
	_cleanup_(symbols_free) struct symbols *s = calloc(1, sizeof(*s));
	_cleanup_(collection_deinit) struct collection c = { .symbols = s };
	struct stat st;
	int err;

	if (!s)
		return -ENOMEM;
	s->fd = fcntl(elf_file_fd(f), F_DUPFD_CLOEXEC, 3);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return -errno;
	s->changed = st.st_mtim;
	err = take_segments(s, f);
	if (err < 0)
		return err;
	aot_code_find(&s->aot, f);
	err = elf_file_each_symbol(f, collect, &c);
	if (!err)
		err = plt_each(f, collect_stub, &c);
	if (!err && table)
		err = table(f, collect_named, &c);
	if (!err && c.lacks_len)
		err = cfi_section_eh(&c.fdes, code);
	if (!err)
		err = make_table(s, &c);
	if (err < 0)
		return err;
	*symbols = TAKE_PTR(s);
	return 0;
}

void symbols_free(struct symbols **symbols)
{
	struct symbols *s = *symbols;

	*symbols = NULL;
	if (!s)
		return;
	cleanup_close(&s->fd);
	free(s->segments);
	free(s->table);
	free(s);
}

bool symbols_has_symtab(const struct symbols *s)
{
	return s->has_symtab;
}

size_t symbols_count(const struct symbols *s)
{
	return s->n;
}

static const struct symbol *find(const struct symbols *s, u64 addr)
{
	size_t at = search_first(s->n, i, s->table[i].addr <= addr);

	for (int i = 0; at > 0 && i < MAX_WALK_BACK; i++) {
		const struct symbol *symbol = &s->table[--at];

		if (addr - symbol->addr < symbol->len)
			return symbol;
	}
	return NULL;
}

/*
 * Reads a name, unless the file was modified in place. Other names may then be at these offsets.
 */
static int read_name(const struct symbols *s, u32 off, char *name, size_t len)
{
	struct stat st;
	ssize_t n;

	if (fstat(s->fd, &st) < 0)
		return -errno;
	if (st.st_mtim.tv_sec != s->changed.tv_sec || st.st_mtim.tv_nsec != s->changed.tv_nsec)
		return -ESTALE;
	n = file_read_some(s->fd, off, name, len - 1);
	if (n < 0)
		return (int)n;
	name[n] = 0;
	return 0;
}

/*
 * Removes the suffixes that compilers and linkers add: the version ("@@GLIBC_2.34"), and the suffix
 * of a function's cold part ("f.cold", clang's "f.cold.1").
 */
static void cut_suffix(char *name)
{
	size_t len = 1 + strcspn(name + 1, "@");
	char *cold;

	name[len] = 0;
	cold = memmem(name + 1, len - 1, ".cold", 5);
	if (cold && cold[5 + strspn(cold + 5, ".0123456789")] == 0)
		*cold = 0;
}

static bool is_shown_as_is(const struct symbols *s, const struct symbol *symbol)
{
	return symbol->name_off >= s->as_is && symbol->name_off < s->as_is_end;
}

int symbols_lookup(const struct symbols *s, u64 addr, char *name, size_t len, u64 *off)
{
	const struct symbol *symbol = find(s, addr);
	char mangled[MAX_MANGLED];
	size_t used;
	int err;

	if (!symbol)
		return -ENOENT;
	err = read_name(s, symbol->name_off & ~IS_STUB, mangled, sizeof(mangled));
	if (err < 0)
		return err;
	if (is_shown_as_is(s, symbol)) {
		snprintf(name, len, "%s", mangled);
		*off = addr - symbol->addr;
		return 0;
	}
	if (mangled[0])
		cut_suffix(mangled);
	aot_code_demangle(&s->aot, symbol->addr, mangled, name, len);
	used = strlen(name);
	if (symbol->name_off & IS_STUB)
		snprintf(name + used, len - used, "@plt");
	*off = addr - symbol->addr;
	return 0;
}

int symbols_off_to_addr(const struct symbols *s, u64 file_off, u64 *addr)
{
	return elf_segments_off_to_addr(s->segments, s->n_segments, file_off, addr);
}

int symbols_lookup_file_off(const struct symbols *s, u64 file_off, char *name, size_t len, u64 *off)
{
	u64 addr;

	if (symbols_off_to_addr(s, file_off, &addr) < 0)
		return -ENOENT;
	return symbols_lookup(s, addr, name, len, off);
}
