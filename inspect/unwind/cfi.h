/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Call frame information of an ELF file as unwind rows, one page of the file at a time: only the
 * entries for that page are read. The sources are .eh_frame, then .debug_frame, then added
 * providers. Code that is in none of these sources is analyzed: a few kinds are recognized by their
 * bytes (PLT stubs, return from a signal); for the rest the height of the stack is followed
 * instruction by instruction (flow.h).
 */

#include "../elf/elf_file.h"
#include "rules.h"

struct cfi;

/* Statistics; all counts only grow. */
struct cfi_counts {
	u64 pages;
	u64 fdes; /* FDEs executed; an FDE that spans two pages counts twice */
	u64 rows;
	u64 unknown; /* ranges that no rule can express */
	u64 broken; /* malformed entries */
	u64 capped; /* entries skipped because a page took too much work */
};

/**
 * cfi_open() - find the call frame information of a file
 * @c:		the new object, free with cfi_free()
 * @f:		must outlive @c; a vDSO is passed as a memfd of its bytes
 *
 * With .eh_frame_hdr this reads a few hundred bytes, and @c takes about 40 KiB
 * regardless of the size of @f. Otherwise the section is held in memory and its entries
 * are listed once: 16 bytes and about 0.1 us each, at most a million.
 *
 * Return: 0, also if there is no call frame information; -ENOTSUP (not x86-64 or arm64), -ENOMEM
 * or the errno of reading.
 */
int cfi_open(struct cfi **c, struct elf_file *f);
void cfi_free(struct cfi **c);

/**
 * cfi_add_debug() - take .debug_frame from a file's separate debug file
 * @debug:	must outlive @c
 *
 * Has no effect if the file itself has a .debug_frame. Return: 0, -ENOMEM or the errno of reading.
 */
int cfi_add_debug(struct cfi *c, struct elf_file *debug);

/* A source of rules other than call frame information. */
struct cfi_provider {
	describe_fn *describe;
	const void *data;
	void (*free)(const void *data); /* called when the cfi is freed; NULL: data is borrowed */
	/*
	 * The provider covers all code of the file: it takes precedence over .eh_frame, and no code
	 * is analyzed by its instructions.
	 */
	bool is_complete;
};

#define CFI_MAX_PROVIDERS 2

/* Adds a provider; on success @c owns @provider->data. Return: 0 or -E2BIG. */
int cfi_add_provider(struct cfi *c, const struct cfi_provider *provider);

/*
 * For comparisons: disables the analysis of instructions (flow.h) of code that has no call frame
 * information. Code is still recognized by its bytes.
 */
void cfi_follow_nothing(struct cfi *c);

/*
 * Finds the code that .eh_frame covers, as file offsets: from the start of the first function to
 * the start of the last. Return: 0, -ENOENT or the errno of reading.
 */
int cfi_span(struct cfi *c, u64 *start_off, u64 *end_off);

/*
 * Returns true if there is at least one CFI entry, or a provider (cfi_add_provider()) that
 * describes all code of the file.
 */
bool cfi_has_entries(const struct cfi *c);

/**
 * cfi_page() - get the rows of 4 KiB of the file
 * @r:		receives the rules
 * @page_off:	offset in the file, a multiple of UW_ROW_PAGE_LEN
 * @rows:	room for UW_MAX_PAGE_ROWS rows as in core/native/row.h
 * @n:		set to the number of rows written, at least 1
 *
 * Bytes outside an executable PT_LOAD get rule 0, and so does code whose entry is broken or whose
 * state no rule can express. Takes at most some milliseconds for any file. The first page of a gap,
 * or of code without call frame information, also takes the time of flow_new().
 *
 * Return: 0, -EINVAL (offset) or the errno of reading.
 */
int cfi_page(struct cfi *c, struct rules *r, u64 page_off, u32 *rows, u32 *n);

/* The statistics; valid while @c is open. */
const struct cfi_counts *cfi_counts(const struct cfi *c);
