/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Symbol tables are read piece by piece, because those of a large program have 25 MB of names, all
 * of which libelf would load. Names are mostly in the order of the symbols. The names of .dynsym
 * are in another order, but are few, so the string table of .dynsym is read whole.
 */

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/file_read.h"
#include "dynamic.h"
#include "elf_file.h"

#define BATCH 512 /* symbols per read */
#define MAX_HELD (8u << 20) /* a string table up to this length is read whole */
#define NAMES_LEN 65536
#define SHORT_LEN 512 /* bytes read for a name that does not follow the previous one */

/* A loaded piece of a string table. */
struct names {
	int fd;
	u64 off, len; /* offset of the table in the file, and its length */
	u64 at; /* offset of the piece in the table */
	size_t n; /* length of the piece */
	size_t room;
	char bytes[]; /* the piece, followed by a NUL */
};

static bool section_is_text(Elf *elf, GElf_Section idx)
{
	GElf_Shdr sh;
	Elf_Scn *scn = idx < SHN_LORESERVE ? elf_getscn(elf, idx) : NULL;

	return scn && gelf_getshdr(scn, &sh) && sh.sh_flags & SHF_EXECINSTR;
}

static int read_piece(struct names *names, u64 at, size_t len)
{
	u64 left = names->len - at;

	names->at = at;
	names->n = left < len ? (size_t)left : len;
	names->bytes[names->n] = 0;
	return file_read(names->fd, names->off + at, names->bytes, names->n);
}

/* Whether the piece contains the whole name at @at. */
static bool has_name(const struct names *names, u64 at)
{
	u64 off = at - names->at;

	return off < names->n && memchr(names->bytes + off, 0, names->n - off);
}

/* The name at an offset of the table, truncated if it is longer than a piece. */
static int name_at(struct names *names, u64 at, const char **name)
{
	bool is_next = at - names->at < names->n + SHORT_LEN;
	int err = 0;

	if (at >= names->len)
		return -ENOEXEC;
	if (!has_name(names, at))
		err = read_piece(names, at, is_next ? names->room : SHORT_LEN);
	if (!err && !is_next && !has_name(names, at))
		err = read_piece(names, at, names->room);
	*name = names->bytes + (at - names->at);
	return err;
}

/* @names: free with free() */
static int open_names(struct elf_file *f, const GElf_Shdr *table, struct names **names)
{
	Elf_Scn *scn = elf_getscn(elf_file_elf(f), table->sh_link);
	struct names *n;
	GElf_Shdr sh;
	size_t room;
	int err;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_type != SHT_STRTAB || !sh.sh_size ||
	    sh.sh_offset > INT64_MAX || sh.sh_size > INT64_MAX - sh.sh_offset)
		return -ENOEXEC;
	room = sh.sh_size <= MAX_HELD ? sh.sh_size : NAMES_LEN;
	n = malloc(sizeof(*n) + room + 1);
	if (!n)
		return -ENOMEM;
	*n = (struct names){
		.fd = elf_file_fd(f), .off = sh.sh_offset, .len = sh.sh_size, .room = room
	};
	*names = n;
	err = read_piece(n, sh.sh_size - 1, 1);
	if (!err && n->bytes[0])
		err = -ENOEXEC;
	return err ? err : read_piece(n, 0, room);
}

/* Reads symbols, from index @i to the end of the batch. Return: 0 or a negative errno. */
static int read_batch(struct elf_file *f, const GElf_Shdr *sh, u64 i, Elf64_Sym *batch)
{
	u64 left = sh->sh_size / sizeof(*batch) - i, n = BATCH - i % BATCH;

	return file_read(elf_file_fd(f), sh->sh_offset + i * sizeof(*batch), batch + i % BATCH,
			 sizeof(*batch) * (left < n ? left : n));
}

static int each_of_table(struct elf_file *f, const GElf_Shdr *sh,
			 int (*fn)(const struct elf_symbol *, void *), void *data)
{
	_cleanup_free_ struct names *names = NULL;
	Elf64_Sym batch[BATCH];
	const char *name;
	int r;

	if (sh->sh_entsize != sizeof(Elf64_Sym) || sh->sh_offset > INT64_MAX ||
	    sh->sh_size > INT64_MAX - sh->sh_offset)
		return -ENOEXEC;
	r = open_names(f, sh, &names);
	for (u64 i = 1; !r && i < sh->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *sym = &batch[i % BATCH];

		if (i == 1 || i % BATCH == 0)
			r = read_batch(f, sh, i, batch);
		if (!r)
			r = name_at(names, sym->st_name, &name);
		if (!r)
			r = fn(
				&(struct elf_symbol){
					.name = name,
					.name_off = names->off + sym->st_name,
					.addr = sym->st_value,
					.len = sym->st_size,
					.type = ELF64_ST_TYPE(sym->st_info),
					.bind = ELF64_ST_BIND(sym->st_info),
					.defined = sym->st_shndx != SHN_UNDEF,
					.in_text = section_is_text(elf_file_elf(f), sym->st_shndx),
					.is_dynamic = sh->sh_type == SHT_DYNSYM,
				},
				data);
	}
	return r;
}

int elf_file_each_symbol(struct elf_file *f, int (*fn)(const struct elf_symbol *s, void *data),
			 void *data)
{
	static const u32 order[] = { SHT_SYMTAB, SHT_DYNSYM };
	Elf *elf = elf_file_elf(f);
	GElf_Shdr sh;
	size_t n;
	int r;

	if (!elf_getshdrnum(elf, &n) && !n)
		return dynamic_each_symbol(f, fn, data);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
			if (!gelf_getshdr(scn, &sh))
				return -ENOEXEC;
			if (sh.sh_type != order[i])
				continue;
			r = each_of_table(f, &sh, fn, data);
			if (r)
				return r;
			break; /* a file has one table of each kind (ELF gABI 4.1, chapter 4) */
		}
	}
	return 0;
}
