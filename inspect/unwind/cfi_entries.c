/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The layout is that of the Linux Standard Base 5.0, core, 10.6 (.eh_frame, .eh_frame_hdr) and
 * DWARF 5, 6.4.1 (.debug_frame). CIEs are parsed by elfutils' dwarf_next_cfi(); an FDE is only a
 * few numbers, which are parsed here.
 *
 * In a large program .eh_frame has tens of megabytes and its search table ten, so both stay in the
 * file, and pieces of some KiB are read on demand.
 */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>

#include "cfi_bytes.h"
#include "cfi_entries.h"

#define WINDOW_LEN 8192

struct header {
	u64 cie; /* position of the entry's CIE */
	u64 body, end; /* positions */
	bool is_cie;
};

void cfi_section_deinit(struct cfi_section *s)
{
	free(s->list);
	free(s->pieces);
	free(s->window);
	*s = (struct cfi_section){};
}

/* Loads [pos, pos + len) into the window. */
static int fill(struct cfi_section *s, u64 pos, u64 len)
{
	u64 want = len > WINDOW_LEN ? len : WINDOW_LEN;
	int err;

	if (want > s->end - pos)
		want = s->end - pos;
	if (want > s->window_cap) {
		u8 *bigger = realloc(s->window, want);

		if (!bigger)
			return -ENOMEM;
		s->window = bigger;
		s->window_cap = want;
	}
	s->window_len = 0;
	err = elf_file_read_addr(s->file, pos, s->window, want);
	if (err < 0)
		return err;
	s->window_pos = pos;
	s->window_len = want;
	return 0;
}

/* Reads bytes of the section, valid until the next call. */
static int bytes_at(struct cfi_section *s, u64 pos, u64 len, struct cfi_bytes *b)
{
	const u8 *p;
	int err = 0;

	if (pos < s->first || pos > s->end || len > s->end - pos || len > CFI_MAX_ENTRY)
		return -ENOEXEC;
	if (s->bytes) {
		p = s->bytes + (pos - s->first);
	} else {
		if (pos < s->window_pos || pos - s->window_pos > s->window_len ||
		    len > s->window_len - (pos - s->window_pos))
			err = fill(s, pos, len);
		p = s->window + (pos - s->window_pos);
	}
	if (!err)
		*b = (struct cfi_bytes){ p, p + len, false };
	return err;
}

/* Reads the header of an entry. Return: 0, -ENOENT at the end, or another negative errno. */
static int read_header(struct cfi_section *s, u64 pos, struct header *h)
{
	u64 left = pos <= s->end ? s->end - pos : 0, len, id_pos, id;
	struct cfi_bytes b;
	int err = left < 4 ? -ENOENT : bytes_at(s, pos, left < 20 ? left : 20, &b);
	u32 id_len = 4;

	if (err < 0)
		return err;
	len = cfi_take_uint(&b, 4);
	if (!len)
		return -ENOENT;
	if (len == 0xffffffff) {
		len = cfi_take_uint(&b, 8);
		id_len = s->is_eh ? 4 : 8;
	}
	id_pos = pos + (u64)(b.p - (b.end - (left < 20 ? left : 20)));
	id = cfi_take_uint(&b, id_len);
	if (b.bad || len < id_len || len > s->end - id_pos)
		return -ENOEXEC;
	h->is_cie = id == (s->is_eh ? 0 : id_len == 8 ? DW_CIE_ID_64 : DW_CIE_ID_32);
	h->cie = s->is_eh ? id_pos - id : s->first + id;
	h->body = id_pos + id_len;
	h->end = id_pos + len;
	return 0;
}

static u32 size_of(u8 enc)
{
	switch (enc & 7) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return 8;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata2:
		return 2;
	}
	return 0;
}

/* Reads a number at position @pos that is encoded as @enc, a DW_EH_PE_* value. */
static u64 take_encoded(struct cfi_bytes *b, u8 enc, u64 pos)
{
	u32 size = size_of(enc);
	u64 v = cfi_take_uint(b, size);

	if (!size || (enc & 0xf0 & ~DW_EH_PE_pcrel))
		b->bad = true;
	if (enc & DW_EH_PE_signed && size && size < 8 && v >> (8 * size - 1))
		v |= ~0ull << 8 * size;
	return enc & DW_EH_PE_pcrel ? v + pos : v;
}

/* Parses the augmentation string, which has a letter for each datum (LSB 5.0, 10.6.1.1.1). */
static int take_augmentation(struct cfi_cie *cie, const Dwarf_CIE *from)
{
	static const u8 none;
	const u8 *data = from->augmentation_data ? from->augmentation_data : &none;
	size_t len = from->augmentation_data ? from->augmentation_data_size : 0;
	struct cfi_bytes b = { data, data + len, false };

	for (const char *letter = from->augmentation; *letter; letter++) {
		switch (*letter) {
		case 'z':
			cie->is_sized = letter == from->augmentation;
			break;
		case 'R':
			cie->ptr_enc = (u8)cfi_take_uint(&b, 1);
			break;
		case 'L':
			cfi_take_uint(&b, 1);
			break;
		case 'P': /* the personality routine is irrelevant */
			cfi_take(&b, size_of((u8)cfi_take_uint(&b, 1)));
			break;
		case 'S':
			cie->is_signal = true;
			break;
		case 'B': /* return addresses are signed with key B (arm64) */
		case 'G': /* tagged stack (arm64) */
			break;
		default:
			return -ENOEXEC;
		}
	}
	return b.bad ? -ENOEXEC : 0;
}

static int parse_cie(struct cfi_section *s, u64 pos, struct cfi_cie *cie)
{
	static const unsigned char ident[EI_NIDENT] = {
		[EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB
	};
	Elf_Data data = { .d_type = ELF_T_BYTE, .d_version = EV_CURRENT };
	Dwarf_CFI_Entry entry;
	struct cfi_bytes b;
	struct header h;
	Dwarf_Off next;
	u64 len;
	int err = read_header(s, pos, &h);

	if (!err && !h.is_cie)
		err = -ENOEXEC;
	if (!err)
		err = bytes_at(s, pos, h.end - pos, &b);
	if (err < 0)
		return err == -ENOENT ? -ENOEXEC : err;
	data.d_buf = (void *)b.p;
	data.d_size = h.end - pos;
	if (dwarf_next_cfi(ident, &data, s->is_eh, 0, &next, &entry) || !dwarf_cfi_cie_p(&entry))
		return -ENOEXEC;
	len = (u64)(entry.cie.initial_instructions_end - entry.cie.initial_instructions);
	if (len > sizeof(cie->program))
		return -ENOEXEC;
	*cie = (struct cfi_cie){
		.pos = pos,
		.code_align = entry.cie.code_alignment_factor,
		.data_align = entry.cie.data_alignment_factor,
		.ra_reg = entry.cie.return_address_register,
		.ptr_enc = DW_EH_PE_absptr,
		.program_len = (u32)len,
	};
	memcpy(cie->program, entry.cie.initial_instructions, len);
	return take_augmentation(cie, &entry.cie);
}

static int find_cie(struct cfi_section *s, u64 pos, const struct cfi_cie **cie)
{
	struct cfi_cie *slot;
	int err;

	for (u32 i = 0; i < sizeof(s->cies) / sizeof(s->cies[0]); i++) {
		if (s->cies[i].code_align && s->cies[i].pos == pos) {
			*cie = &s->cies[i];
			return 0;
		}
	}
	slot = &s->cies[s->next_cie];
	slot->code_align = 0;
	err = parse_cie(s, pos, slot);
	if (!err && !slot->code_align)
		err = -ENOEXEC;
	if (err < 0) {
		slot->code_align = 0;
		return err;
	}
	s->next_cie = (s->next_cie + 1) % (sizeof(s->cies) / sizeof(s->cies[0]));
	*cie = slot;
	return 0;
}

static int read_fde(struct cfi_section *s, const struct header *h, struct cfi_fde *fde)
{
	const struct cfi_cie *cie;
	struct cfi_bytes b;
	u64 start, len;
	int err = find_cie(s, h->cie, &cie);

	if (!err)
		err = bytes_at(s, h->body, h->end - h->body, &b);
	if (err < 0)
		return err;
	start = take_encoded(&b, cie->ptr_enc, h->body);
	len = take_encoded(&b, cie->ptr_enc & ~DW_EH_PE_pcrel, 0);
	if (cie->is_sized)
		cfi_take(&b, cfi_take_uleb(&b));
	if (b.bad || start + len < start)
		return -ENOEXEC;
	*fde = (struct cfi_fde){
		.cie = cie,
		.start = start,
		.end = start + len,
		.program = b.p,
		.program_len = (size_t)(b.end - b.p),
	};
	return 0;
}

int cfi_section_next(struct cfi_section *s, u64 *pos, struct cfi_fde *fde)
{
	struct header h;
	int err = read_header(s, *pos, &h);

	if (err < 0)
		return err;
	*pos = h.end;
	return h.is_cie ? 1 : read_fde(s, &h, fde);
}

int cfi_section_fde(struct cfi_section *s, u64 pos, struct cfi_fde *fde)
{
	int r = cfi_section_next(s, &pos, fde);

	return r == 1 || r == -ENOENT ? -ENOEXEC : r;
}

int cfi_section_gap(struct cfi_section *s, u64 addr, u64 *start, u64 *end)
{
	struct cfi_listed e;
	struct cfi_fde fde;
	u32 i;
	int err = s->n ? cfi_section_find(s, addr, &i) : -ENOENT;

	if (err < 0)
		return s->n ? err : 0;
	err = cfi_section_at(s, i, &e);
	if (!err && e.start <= addr) {
		err = cfi_section_fde(s, e.pos, &fde);
		if (err < 0 || fde.end > addr)
			return err < 0 ? err : -ENOENT;
		if (fde.end > *start)
			*start = fde.end;
		if (++i == s->n)
			return 0;
		err = cfi_section_at(s, i, &e);
	}
	if (!err && e.start > addr && e.start < *end)
		*end = e.start;
	return err;
}

/* Finds the last FDE that starts at or before an address, or else the first one. */
static int last_listed(struct cfi_section *s, u64 addr, struct cfi_listed *e)
{
	u32 i;
	int err = s->n ? cfi_section_find(s, addr, &i) : -ENOENT;

	return err ? err : cfi_section_at(s, i, e);
}

int cfi_section_covering(struct cfi_section *s, u64 addr, struct cfi_fde *fde)
{
	struct cfi_listed e;
	int err = last_listed(s, addr, &e);

	if (!err)
		err = cfi_section_fde(s, e.pos, fde);
	return err || (addr >= fde->start && addr < fde->end) ? err : -ENOENT;
}

int cfi_section_fde_of(struct cfi_section *s, u64 addr, struct cfi_fde *fde)
{
	struct cfi_listed e;
	int err = last_listed(s, addr, &e);

	if (!err && e.start != addr)
		err = -ENOENT;
	return err ? err : cfi_section_fde(s, e.pos, fde);
}
