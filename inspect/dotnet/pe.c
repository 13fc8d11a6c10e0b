/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	0x00 "MZ"  0x3c u32 offset of
 *	"PE\0\0", COFF header { u16 machine, u16 sections, ..., u16 length of the
 *	optional header at 16 }, 20 bytes; optional header { u16 0x10b or 0x20b, ...,
 *	u32 number of directories at 92 or 108, directories { u32 rva, u32 length } };
 *	section headers of 40 bytes { name, u32 length in memory, u32 rva, u32 length in
 *	the file, u32 offset in the file }
 *
 * Source: Microsoft's PE format; ECMA-335 6th edition, II.25.3.3 (CLI header).
 */

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "pe.h"

#define COFF_LEN 24 /* with the signature */
#define SECTION_LEN 40
#define CLI_LEN 72
#define MAX_OPTIONAL_LEN 1024

static u16 u16_at(const u8 *p)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static u32 u32_at(const u8 *p)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static int take_directories(struct pe *pe, const u8 *optional, u32 len)
{
	u32 at, n;

	if (len < 2)
		return -ENOEXEC;
	at = u16_at(optional) == 0x20b ? 108 : u16_at(optional) == 0x10b ? 92 : 0;
	if (!at || len < at + 4)
		return -ENOEXEC;
	n = u32_at(optional + at);
	for (u32 i = 0; i < n && i < PE_DIRECTORIES; i++) {
		const u8 *p = optional + at + 4 + i * 8;

		if (at + 4 + (i + 1) * 8 > len)
			return -ENOEXEC;
		pe->directories[i] = (struct pe_range){ u32_at(p), u32_at(p + 4) };
	}
	return 0;
}

static int read_sections(struct pe *pe, u64 addr)
{
	for (u32 i = 0; i < pe->n_sections; i++) {
		u8 h[SECTION_LEN];
		int err = target_read(pe->target, addr + (u64)i * SECTION_LEN, h, sizeof(h));

		if (err)
			return err;
		pe->sections[i] = (struct pe_section){ .mem_len = u32_at(h + 8),
						       .rva = u32_at(h + 12),
						       .file_len = u32_at(h + 16),
						       .file_off = u32_at(h + 20) };
	}
	return 0;
}

int pe_init(struct pe *out, struct target *t, u64 base, bool is_flat)
{
	struct pe pe = { .target = t, .base_addr = base, .is_flat = is_flat };
	u8 dos[0x40], coff[COFF_LEN], optional[MAX_OPTIONAL_LEN];
	u32 at, optional_len;
	int err = base > INT64_MAX ? -ENOEXEC : target_read(t, base, dos, sizeof(dos));

	if (err)
		return err;
	at = u32_at(dos + 0x3c);
	if (memcmp(dos, "MZ", 2))
		return -ENOEXEC;
	err = target_read(t, base + at, coff, sizeof(coff));
	if (err)
		return err;
	pe.n_sections = u16_at(coff + 6);
	optional_len = u16_at(coff + 20);
	if (memcmp(coff, "PE\0\0", 4) || pe.n_sections > PE_MAX_SECTIONS ||
	    optional_len > sizeof(optional))
		return -ENOEXEC;
	err = target_read(t, base + at + COFF_LEN, optional, optional_len);
	if (!err)
		err = take_directories(&pe, optional, optional_len);
	if (!err)
		err = read_sections(&pe, base + at + COFF_LEN + optional_len);
	if (!err)
		*out = pe;
	return err;
}

int pe_addr(const struct pe *pe, struct pe_range range, u64 *addr)
{
	for (u32 i = 0; i < pe->n_sections; i++) {
		const struct pe_section *s = &pe->sections[i];
		u32 off = range.rva - s->rva;

		if (range.rva < s->rva || off > s->file_len || range.len > s->file_len - off)
			continue;
		*addr = pe->base_addr + (pe->is_flat ? (u64)s->file_off + off : range.rva);
		return 0;
	}
	return -ERANGE;
}

int pe_cli_range(const struct pe *pe, u32 idx, struct pe_range *range)
{
	struct pe_range cli = pe->directories[PE_DIRECTORY_CLI];
	u8 header[CLI_LEN];
	u64 addr;
	int err;

	if (cli.len < CLI_LEN || 8 * (idx + 1) > CLI_LEN)
		return -ENOEXEC;
	cli.len = CLI_LEN;
	err = pe_addr(pe, cli, &addr);
	if (!err)
		err = target_read(pe->target, addr, header, sizeof(header));
	if (!err)
		*range = (struct pe_range){ u32_at(header + 8 * (size_t)idx),
					    u32_at(header + 8 * (size_t)idx + 4) };
	return err;
}
