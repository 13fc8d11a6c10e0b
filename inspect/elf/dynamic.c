/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * DT_HASH contains the number of symbols, which equals the number of chains. DT_GNU_HASH does not
 * contain the number of symbols; it contains the start of each bucket's chain, and the last chain
 * ends with the last symbol:
 *
 *	nbuckets, symoffset, bloom_size, bloom_shift,
 *	bloom[bloom_size] (u64), buckets[nbuckets] (u32), chains[] (u32, bit 0: last)
 *
 * https://flapenguin.me/elf-dt-gnu-hash, glibc's elf/dl-lookup.c at 2.36.
 */

#include "dynamic.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>

#define MAX_TAGS 1024
#define MAX_SYMBOLS (8u << 20)
#define BATCH 256

struct dynamic {
	u64 symbols, strings, strings_len, hash, gnu_hash;
};

static int read_tags(struct elf_file *f, const GElf_Phdr *ph, struct dynamic *d)
{
	Elf64_Dyn dyn;
	int err;

	for (u64 i = 0; i < MAX_TAGS; i++) {
		err = elf_file_read_addr(f, ph->p_vaddr + i * sizeof(dyn), &dyn, sizeof(dyn));
		if (err || dyn.d_tag == DT_NULL)
			return err;
		if (dyn.d_tag == DT_SYMTAB)
			d->symbols = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_STRTAB)
			d->strings = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_STRSZ)
			d->strings_len = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_HASH)
			d->hash = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_GNU_HASH)
			d->gnu_hash = dyn.d_un.d_ptr;
	}
	return -ENOEXEC;
}

static int find_tags(struct elf_file *f, struct dynamic *d)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf_file_elf(f), &n))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf_file_elf(f), (int)i, &ph) && ph.p_type == PT_DYNAMIC)
			return read_tags(f, &ph, d);
	return 0;
}

/*
 * Finds the highest symbol that starts a bucket's chain (0: none), and the address of the chains.
 */
static int last_bucket(struct elf_file *f, u64 addr, u32 *last, u64 *chains_addr)
{
	u32 header[4], buckets[BATCH];
	u64 at;
	int err = elf_file_read_addr(f, addr, header, sizeof(header));

	if (err)
		return err;
	if (header[0] > MAX_SYMBOLS || header[2] > MAX_SYMBOLS)
		return -ENOEXEC;
	at = addr + sizeof(header) + 8ull * header[2];
	*last = 0;
	for (u32 i = 0, n; i < header[0]; i += n, at += 4ull * n) {
		n = header[0] - i < BATCH ? header[0] - i : BATCH;
		err = elf_file_read_addr(f, at, buckets, 4ull * n);
		if (err)
			return err;
		for (u32 k = 0; k < n; k++)
			*last = buckets[k] > *last ? buckets[k] : *last;
	}
	*chains_addr = at - 4ull * header[1];
	return *last && *last < header[1] ? -ENOEXEC : 0;
}

static int count_gnu(struct elf_file *f, u64 addr, u32 *n)
{
	u64 chains_addr;
	u32 chain = 0, last;
	int err = last_bucket(f, addr, &last, &chains_addr);

	for (; !err && last && !(chain & 1); last++) {
		if (last > MAX_SYMBOLS)
			return -ENOEXEC;
		err = elf_file_read_addr(f, chains_addr + 4ull * last, &chain, sizeof(chain));
	}
	if (!err)
		*n = last;
	return err;
}

static int count(struct elf_file *f, const struct dynamic *d, u32 *n)
{
	u32 header[2] = {};
	int err;

	*n = 0;
	if (d->gnu_hash)
		return count_gnu(f, d->gnu_hash, n);
	if (!d->hash)
		return 0;
	err = elf_file_read_addr(f, d->hash, header, sizeof(header));
	if (!err && header[1] > MAX_SYMBOLS)
		err = -ENOEXEC;
	if (!err)
		*n = header[1];
	return err;
}

/* Passes a symbol to @fn. Return: 0, the result of @fn, or -ENOEXEC. */
static int emit(struct elf_file *f, const struct dynamic *d, const Elf64_Sym *sym,
		int (*fn)(const struct elf_symbol *s, void *data), void *data)
{
	char name[256] = "";
	u64 left, name_off, addr = d->strings + sym->st_name;

	if (sym->st_name >= d->strings_len || elf_file_addr_to_off(f, addr, &name_off))
		return -ENOEXEC;
	left = d->strings_len - sym->st_name;
	if (elf_file_read_addr(f, addr, name, left < 255 ? left : 255))
		return -ENOEXEC;
	return fn(
		&(struct elf_symbol){
			.name = name,
			.name_off = name_off,
			.addr = sym->st_value,
			.len = sym->st_size,
			.type = ELF64_ST_TYPE(sym->st_info),
			.bind = ELF64_ST_BIND(sym->st_info),
			.defined = sym->st_shndx != SHN_UNDEF,
			.is_dynamic = true,
		},
		data);
}

int dynamic_each_symbol(struct elf_file *f, int (*fn)(const struct elf_symbol *s, void *data),
			void *data)
{
	struct dynamic d = {};
	Elf64_Sym batch[BATCH];
	u32 total = 0;
	int r = find_tags(f, &d);

	if (!r && d.symbols && d.strings)
		r = count(f, &d, &total);
	for (u32 i = 0, n; !r && i < total; i += n) {
		n = total - i < BATCH ? total - i : BATCH;
		r = elf_file_read_addr(f, d.symbols + i * sizeof(*batch), batch,
				       n * sizeof(*batch));
		for (u32 k = !i; !r && k < n; k++)
			r = emit(f, &d, &batch[k], fn, data);
	}
	return r == -ERANGE ? -ENOEXEC : r;
}
