/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds the FDE of an address: in the linker's sorted table (.eh_frame_hdr), or in a
 * list made by reading all entries once if there is no such table.
 */

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>

#include "cfi_bytes.h"
#include "cfi_entries.h"

#define ENTRY_LEN sizeof(((struct cfi_piece *)NULL)->entries[0])

/* The end of the bytes in the file of the segment that contains @addr; 0: no segment does. */
static u64 end_of_bytes(const struct elf_file *f, u64 addr)
{
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);

	for (size_t i = 0; i < n; i++)
		if (addr >= s[i].addr && addr - s[i].addr < s[i].file_len)
			return s[i].addr + s[i].file_len;
	return 0;
}

/*
 * Uses the search table if it has the only form that linkers emit: version 1, pcrel sdata4, udata4,
 * datarel sdata4. For any other form the entries are listed instead.
 */
static int use_header(struct cfi_section *s, u64 addr)
{
	u8 bytes[12];
	struct cfi_bytes b = { bytes, bytes + sizeof(bytes), false };
	u64 frames, n;

	if (elf_file_read_addr(s->file, addr, bytes, sizeof(bytes)) < 0)
		return -ENOENT;
	if (cfi_take_uint(&b, 4) !=
	    (1 | (DW_EH_PE_pcrel | DW_EH_PE_sdata4) << 8 | DW_EH_PE_udata4 << 16 |
	     (u64)(DW_EH_PE_datarel | DW_EH_PE_sdata4) << 24))
		return -ENOENT;
	frames = addr + 4 + (u64)(s32)cfi_take_uint(&b, 4);
	n = cfi_take_uint(&b, 4);
	if (!n || n > (end_of_bytes(s->file, addr) - addr - sizeof(bytes)) / ENTRY_LEN)
		return -ENOENT;
	s->end = end_of_bytes(s->file, frames);
	if (!s->end)
		return -ENOENT;
	s->pieces = calloc(CFI_N_PIECES, sizeof(*s->pieces));
	if (!s->pieces)
		return -ENOMEM;
	s->first = frames;
	s->table_base = addr;
	s->table_addr = addr + sizeof(bytes);
	s->n = (u32)n;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct cfi_listed *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1)
				    : (x->pos > y->pos) - (x->pos < y->pos);
}

static int list_add(struct cfi_section *s, u32 *cap, const struct cfi_listed *e)
{
	struct cfi_listed *bigger;

	if (s->n == *cap) {
		bigger = realloc(s->list, (*cap ? 2 * *cap : 256) * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		*cap = *cap ? 2 * *cap : 256;
		s->list = bigger;
	}
	s->list[s->n++] = *e;
	return 0;
}

/*
 * Lists all FDEs. The FDEs after a broken entry are also listed, unless the entry's length is
 * broken.
 */
static int list_all(struct cfi_section *s)
{
	struct cfi_listed e;
	struct cfi_fde fde;
	u64 pos = s->first;
	u32 cap = 0;
	int r = 0;

	while (r != -ENOENT && s->n < CFI_MAX_LISTED) {
		e.pos = pos;
		r = cfi_section_next(s, &pos, &fde);
		if (r == -ENOMEM || (r < 0 && pos == e.pos))
			break;
		e.start = fde.start;
		if (!r && fde.end > fde.start && list_add(s, &cap, &e) < 0)
			return -ENOMEM;
	}
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), by_start);
	return r == -ENOMEM ? r : 0;
}

static Elf_Scn *section_named(Elf *elf, const char *name, GElf_Shdr *sh)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *found = gelf_getshdr(scn, sh) ? elf_strptr(elf, names, sh->sh_name)
							  : NULL;

		if (found && !strcmp(found, name) && sh->sh_type != SHT_NOBITS && sh->sh_size)
			return scn;
	}
	return NULL;
}

/* Loads a section, decompressed. Return: -ENOENT if that fails. */
static int hold_section(struct cfi_section *s, const char *name)
{
	Elf *elf = elf_file_elf(s->file);
	GElf_Shdr sh;
	GElf_Chdr ch;
	Elf_Scn *scn = section_named(elf, name, &sh);
	Elf_Data *data;

	if (!scn || sh.sh_size > CFI_MAX_SECTION)
		return -ENOENT;
	if (!elf_file_may_load(s->file, sh.sh_size))
		return -ENOENT;
	if (sh.sh_flags & SHF_COMPRESSED &&
	    (!gelf_getchdr(scn, &ch) || ch.ch_size > CFI_MAX_SECTION ||
	     !elf_file_may_load(s->file, ch.ch_size) || elf_compress(scn, 0, 0) < 0))
		return -ENOENT;
	data = elf_getdata(scn, NULL);
	if (!data || !data->d_size || !data->d_buf)
		return -ENOENT;
	s->bytes = data->d_buf;
	s->first = s->is_eh ? sh.sh_addr : 0;
	s->end = s->first + data->d_size;
	return s->end < s->first ? -ENOENT : list_all(s);
}

static u64 header_addr(struct elf_file *f)
{
	Elf *elf = elf_file_elf(f);
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return 0;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_GNU_EH_FRAME)
			return ph.p_vaddr;
	return 0;
}

int cfi_section_eh(struct cfi_section *s, struct elf_file *f)
{
	u64 addr = header_addr(f);
	int err;

	*s = (struct cfi_section){ .file = f, .is_eh = true };
	err = addr ? use_header(s, addr) : -ENOENT;
	if (err != -ENOENT)
		return err;
	err = hold_section(s, ".eh_frame");
	return err == -ENOENT ? 0 : err;
}

int cfi_section_debug(struct cfi_section *s, struct elf_file *f)
{
	int err;

	*s = (struct cfi_section){ .file = f };
	err = hold_section(s, ".debug_frame");
	return err == -ENOENT ? 0 : err;
}

static int read_piece(struct cfi_section *s, u32 number, struct cfi_piece *piece)
{
	u32 n = s->n - number * CFI_PIECE;
	int err;

	if (n > CFI_PIECE)
		n = CFI_PIECE;
	piece->is_read = false;
	piece->number = number;
	err = elf_file_read_addr(s->file, s->table_addr + (u64)number * CFI_PIECE * ENTRY_LEN,
				 piece->entries, n * ENTRY_LEN);
	piece->is_read = err >= 0;
	return err;
}

int cfi_section_at(struct cfi_section *s, u32 i, struct cfi_listed *e)
{
	u32 number = i / CFI_PIECE;
	struct cfi_piece *piece;
	int err;

	if (s->list) {
		*e = s->list[i];
		return 0;
	}
	piece = &s->pieces[number % CFI_N_PIECES];
	if (!piece->is_read || piece->number != number) {
		err = read_piece(s, number, piece);
		if (err < 0)
			return err;
	}
	e->start = s->table_base + (u64)piece->entries[i % CFI_PIECE][0];
	e->pos = s->table_base + (u64)piece->entries[i % CFI_PIECE][1];
	return 0;
}

int cfi_section_find(struct cfi_section *s, u64 addr, u32 *i)
{
	u32 low = 0, high = s->n;
	struct cfi_listed e;
	int err;

	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		err = cfi_section_at(s, middle, &e);
		if (err < 0)
			return err;
		if (e.start <= addr)
			low = middle;
		else
			high = middle;
	}
	*i = low;
	return 0;
}
