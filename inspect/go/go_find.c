/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * .gopclntab normally is a separate section. If the C linker has merged the section, or the
 * section headers were stripped, the table is found by its magic in the data segments.
 *
 * The runtime's description of the program (moduledata) contains the start of code and the start of
 * function data. moduledata starts with pointers to the table and into the table, by which it is
 * recognized. In a position-independent program linked by the C linker, moduledata is zero in the
 * file; its values are in the relocations.
 */

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "go_layout.h"

#define CHUNK_LEN (64u << 10) /* a multiple of 8 */
#define MAX_SCAN (256u << 20) /* bytes read from all segments, for each of the two searches */

/* Indexes of words in moduledata: go/src/runtime/symtab.go at go1.16 to go1.26. */
enum { MD_TABLE = 0, MD_NAMES = 1, MD_UNITS = 4, MD_TEXT = 22, MD_DATA_1_18 = 38, MD_DATA = 40 };
#define MD_WORDS (MD_DATA + 1)

static const u32 magics[] = {
	[GO_1_16] = 0xfffffffa, [GO_1_18] = 0xfffffff0, [GO_1_20] = 0xfffffff1
};

static u64 segment_end(const struct elf_file *f, u64 addr, bool is_exec)
{
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);

	for (size_t i = 0; i < n; i++)
		if (addr >= s[i].addr && addr - s[i].addr < s[i].file_len &&
		    (!is_exec || s[i].is_exec))
			return s[i].addr + s[i].file_len;
	return 0;
}

/* Checks and parses a header at @addr. */
static bool take_header(struct go_table *t, u64 addr)
{
	u64 words[GO_HEADER_LEN / 8], *parts = words + 3, entry;
	u64 end = segment_end(t->file, addr, false), len = end - addr;

	if (!end || len < GO_HEADER_LEN ||
	    elf_file_read_addr(t->file, addr, words, sizeof(words)) < 0)
		return false;
	for (t->version = GO_1_16; t->version <= GO_1_20; t->version++)
		if ((u32)words[0] == magics[t->version])
			break;
	if (t->version > GO_1_20 || words[0] >> 32 != (8u << 24 | (u32)t->quantum << 16))
		return false;
	if (t->version != GO_1_16)
		t->text = *parts++;
	for (int i = 0; i < 5; i++)
		if (parts[i] >= len || (i && parts[i] <= parts[i - 1]))
			return false;
	entry = t->version == GO_1_16 ? 16 : 8;
	if (!words[1] || words[1] > GO_MAX_FUNCTIONS || words[1] * entry > len - parts[4])
		return false;
	t->n = (u32)words[1];
	t->addr = addr;
	t->end = end;
	t->names = addr + parts[0];
	t->units = addr + parts[1];
	t->files = addr + parts[2];
	t->values = addr + parts[3];
	t->functions = addr + parts[4];
	return true;
}

/*
 * Calls @fn for each data word that equals @value under @mask, starting with the last segment.
 * Returns true if @fn accepted a word.
 */
static bool scan(struct go_table *t, u64 mask, u64 value, bool (*fn)(struct go_table *t, u64 addr))
{
	_cleanup_free_ u64 *chunk = malloc(CHUNK_LEN);
	size_t n_segments;
	const struct elf_segment *s = elf_file_segments(t->file, &n_segments);
	u64 budget = MAX_SCAN;

	for (size_t i = n_segments; chunk && i-- > 0;) {
		/* The first aligned word of the segment. */
		u64 addr = s[i].addr + (-s[i].addr & 7), end = s[i].addr + s[i].file_len;

		for (; !s[i].is_exec && addr < end && end - addr >= 8; addr += CHUNK_LEN) {
			size_t n = end - addr < CHUNK_LEN ? end - addr : CHUNK_LEN;

			if (n > budget || elf_file_read_addr(t->file, addr, chunk, n) < 0)
				return false;
			budget -= n;
			for (size_t at = 0; at < n / 8; at++)
				if ((chunk[at] & mask) == value && fn(t, addr + at * 8))
					return true;
		}
	}
	return false;
}

/* Whether this is the name of a section that only Go's linker makes. */
static bool is_mark(const char *name)
{
	return !strcmp(name, ".go.buildinfo") || !strcmp(name, ".note.go.buildid") ||
	       !strcmp(name, ".go.module");
}

/*
 * Finds the table's section. Sets @is_go if the file may be a Go program, so that the table is
 * searched for even without a section.
 */
static bool find_section(struct go_table *t, bool *is_go, GElf_Shdr *relocs)
{
	Elf *elf = elf_file_elf(t->file);
	size_t names;
	bool found = false;
	GElf_Shdr sh;

	*relocs = (GElf_Shdr){};
	*is_go = !elf_nextscn(elf, NULL);
	if (elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name)
			continue;
		*is_go |= is_mark(name);
		if (!strcmp(name, ".rela.dyn"))
			*relocs = sh;
		if (!strcmp(name, ".gopclntab") || !strcmp(name, ".data.rel.ro.gopclntab"))
			found |= take_header(t, sh.sh_addr);
	}
	return found;
}

/* Searches for the part of the magic that all versions share. */
static bool find_magic(struct go_table *t)
{
	return scan(t, 0xfffffffffffffff0, 0xfffffff0 | (u64)(8u << 24 | t->quantum << 16) << 32,
		    take_header);
}

static bool take_module(struct go_table *t, const u64 *words)
{
	u64 text = words[MD_TEXT];
	u64 data = t->version == GO_1_20   ? words[MD_DATA]
		   : t->version == GO_1_18 ? words[MD_DATA_1_18]
					   : 0;

	if (words[MD_TABLE] != t->addr || words[MD_NAMES] != t->names ||
	    words[MD_UNITS] != t->units || !segment_end(t->file, text, true))
		return false;
	if (t->version != GO_1_16)
		t->text = text;
	t->data = segment_end(t->file, data, false) ? data : 0;
	return true;
}

static bool take_module_at(struct go_table *t, u64 addr)
{
	u64 words[MD_WORDS];

	return !elf_file_read_addr(t->file, addr, words, sizeof(words)) && take_module(t, words);
}

/* Whether the relocated value is the load bias plus a constant. */
static bool is_relative(const Elf64_Rela *r)
{
	return ELF64_R_TYPE(r->r_info) == R_X86_64_RELATIVE ||
	       ELF64_R_TYPE(r->r_info) == R_AARCH64_RELATIVE;
}

struct relocs {
	u64 pointer; /* the value of the relocations to find */
	u64 at; /* address of the last word with this value */
	u64 *words; /* NULL: search for pointer; otherwise it receives the relocated words from
		     * address at on */
};

static void take_relocs(const Elf64_Rela *v, size_t n, struct relocs *r)
{
	for (size_t i = 0; i < n; i++) {
		u64 off = v[i].r_offset - r->at;

		if (!is_relative(&v[i]))
			continue;
		if (!r->words && (u64)v[i].r_addend == r->pointer)
			r->at = v[i].r_offset;
		else if (r->words && off < MD_WORDS * 8 && !(off & 7))
			r->words[off / 8] = (u64)v[i].r_addend;
	}
}

static bool each_reloc(const struct go_table *t, const GElf_Shdr *sh, struct relocs *r)
{
	Elf64_Rela v[1024];

	for (u64 off = 0; off < sh->sh_size && off < MAX_SCAN; off += sizeof(v)) {
		u64 left = sh->sh_size - off;
		size_t len = left < sizeof(v) ? left : sizeof(v);

		if (elf_file_read_addr(t->file, sh->sh_addr + off, v, len) < 0)
			return false;
		take_relocs(v, len / sizeof(v[0]), r);
	}
	return r->at;
}

static void find_module_by_relocs(struct go_table *t, const GElf_Shdr *sh)
{
	struct relocs r = { .pointer = t->addr };
	u64 words[MD_WORDS];

	if (!each_reloc(t, sh, &r) || elf_file_read_addr(t->file, r.at, words, sizeof(words)) < 0)
		return;
	r.words = words;
	if (each_reloc(t, sh, &r))
		take_module(t, words);
}

int go_find(struct go_table *t)
{
	GElf_Shdr relocs;
	GElf_Ehdr eh;
	bool is_go;

	if (!gelf_getehdr(elf_file_elf(t->file), &eh) ||
	    (eh.e_machine != EM_X86_64 && eh.e_machine != EM_AARCH64))
		return -ENOENT;
	t->quantum = eh.e_machine == EM_AARCH64 ? 4 : 1;
	if (!find_section(t, &is_go, &relocs) && (!is_go || !find_magic(t)))
		return -ENOENT;
	if (!scan(t, ~0ull, t->addr, take_module_at) && relocs.sh_size)
		find_module_by_relocs(t, &relocs);
	return t->text || t->version == GO_1_16 ? 0 : -ENOENT;
}
