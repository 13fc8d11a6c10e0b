/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The entries (CIE, FDE) of one section of call frame information, sorted by code
 * address, and their contents. A position is the link-time address of a byte of
 * .eh_frame, or an offset in .debug_frame.
 */

#include "../elf/elf_file.h"

#define CFI_MAX_LISTED (1u << 20) /* maximum number of FDEs of a section without a search table */
#define CFI_MAX_SECTION (64u << 20) /* maximum length of a section that is held in memory */
#define CFI_MAX_ENTRY (128u << 10) /* maximum length of an entry */
#define CFI_PIECE 64 /* number of entries of the linker's table that are read at once */
#define CFI_N_PIECES 61 /* number of cached pieces; prime, because searches halve indexes */
#define CFI_MAX_CIE_PROGRAM 256

struct cfi_cie {
	u64 pos;
	u64 code_align;
	s64 data_align;
	u64 ra_reg;
	u8 ptr_enc; /* DW_EH_PE_* of the FDEs' addresses */
	bool is_sized; /* the FDEs have augmentation data */
	bool is_signal; /* signal frame: the caller was interrupted by a signal and made no call */
	u32 program_len;
	u8 program[CFI_MAX_CIE_PROGRAM];
};

#define CFI_NO_NEXT (~0ull) /* instead of the start of the next function: none follows */

struct cfi_fde {
	const struct cfi_cie *cie;
	u64 start, end; /* link-time addresses */
	const u8 *program; /* valid until the next entry is read */
	size_t program_len;
};

struct cfi_listed {
	u64 start, pos;
};

/* A piece of the linker's table. */
struct cfi_piece {
	bool is_read;
	u32 number;
	s32 entries[CFI_PIECE][2];
};

struct cfi_section {
	struct elf_file *file; /* borrowed */
	bool is_eh;
	u64 first, end; /* positions */

	/* The section's bytes, owned by libelf; NULL: read on demand. */
	const u8 *bytes;

	/*
	 * FDEs sorted by start address: either in list, or in the linker's table, of which pieces
	 * are cached.
	 */
	u32 n;
	struct cfi_listed *list;
	u64 table_addr, table_base;
	struct cfi_piece *pieces; /* CFI_N_PIECES, owned; piece i is at i % CFI_N_PIECES */

	/* Caches of the last bytes and CIEs that were read. */
	u8 *window;
	u64 window_pos;
	size_t window_len, window_cap;
	struct cfi_cie cies[4];
	u32 next_cie;
};

/* Open a section; s->n is 0 if there is none. Return: 0, -ENOMEM or the errno of reading. */
int cfi_section_eh(struct cfi_section *s, struct elf_file *f);
int cfi_section_debug(struct cfi_section *s, struct elf_file *f);
void cfi_section_deinit(struct cfi_section *s);

/*
 * Finds the index of the last FDE that starts at or before @addr; if there is none, sets *i to 0.
 * Return: 0 or the errno of reading.
 */
int cfi_section_find(struct cfi_section *s, u64 addr, u32 *i);

/* Reads start and position of an FDE by its index. Return: 0 or the errno of reading. */
int cfi_section_at(struct cfi_section *s, u32 i, struct cfi_listed *e);

/**
 * cfi_section_gap() - narrow a span around an address to the part that no FDE covers
 *
 * Return: 0, -ENOENT (an FDE covers the address), or another negative errno.
 */
int cfi_section_gap(struct cfi_section *s, u64 addr, u64 *start, u64 *end);

/**
 * cfi_section_fde() - read an FDE with its CIE
 * @fde:	valid until the next entry is read
 *
 * Return: 0, -ENOEXEC (broken or unknown), -ENOMEM or the errno of reading.
 */
int cfi_section_fde(struct cfi_section *s, u64 pos, struct cfi_fde *fde);

/*
 * As cfi_section_fde(), for the FDE of the function that starts at @addr; -ENOENT if there is none.
 */
int cfi_section_fde_of(struct cfi_section *s, u64 addr, struct cfi_fde *fde);

/*
 * As cfi_section_fde(), for the FDE whose code contains @addr; -ENOENT if there is none.
 */
int cfi_section_covering(struct cfi_section *s, u64 addr, struct cfi_fde *fde);

/*
 * As cfi_section_fde(), for the entry at *pos; moves *pos to the end of the entry. Also returns 1
 * for a CIE, and -ENOENT at the end.
 */
int cfi_section_next(struct cfi_section *s, u64 *pos, struct cfi_fde *fde);
