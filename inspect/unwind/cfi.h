/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Call frame information of an ELF file as unwind rows, one page of the file at a
 * time: only what describes that page is read. Taken from .eh_frame, where that is
 * silent from .debug_frame, then from the providers that were added, and where nothing
 * describes the code from the code itself: a few kinds are known by their bytes (PLT stubs,
 * return from a signal), the rest is followed by its instructions (flow.h).
 */

#include "../elf/elf_file.h"
#include "rules.h"

struct cfi;

/* What became of what was read; all counts only grow. */
struct cfi_counts {
	u64 pages;
	u64 fdes; /* that were run, one that spans two pages twice */
	u64 rows;
	u64 unknown; /* ranges described in a way that no rule can say */
	u64 broken; /* entries that are not well-formed */
	u64 capped; /* entries left out because a page took too much work */
};

/**
 * cfi_open() - find the call frame information of a file
 * @c:		the new object, free with cfi_free()
 * @f:		must outlive @c; a vDSO is passed as a memfd of its bytes
 *
 * With .eh_frame_hdr this reads a few hundred bytes, and @c takes about 40 KiB
 * whatever the size of @f. Otherwise the section is held and its entries are listed
 * once: 16 bytes and about 0.1 us each, at most a million.
 *
 * Return: 0, also when there is none; -ENOTSUP (not x86-64 or arm64), -ENOMEM or
 * what reading gave.
 */
int cfi_open(struct cfi **c, struct elf_file *f);
void cfi_free(struct cfi **c);

/**
 * cfi_add_debug() - take .debug_frame from a file's separate debug file
 * @debug:	must outlive @c
 *
 * Without effect when the file itself has one. Return: 0, -ENOMEM or what reading gave.
 */
int cfi_add_debug(struct cfi *c, struct elf_file *debug);

/* Another source of rules than call frame information. */
struct cfi_provider {
	describe_fn *describe;
	const void *data;
	void (*free)(const void *data); /* when the cfi is freed; NULL: @data is borrowed */
	bool is_complete; /* knows all code of the file: asked before .eh_frame, nothing is followed
			   */
};

#define CFI_MAX_PROVIDERS 2

/* Takes @provider->data over. 0 or -E2BIG: then nothing was taken. */
int cfi_add_provider(struct cfi *c, const struct cfi_provider *provider);

/* Code that nothing describes has rows only where it is known by its bytes: for comparisons. */
void cfi_follow_nothing(struct cfi *c);

/*
 * What .eh_frame is about, as offsets in the file: from the first byte of its first to that of
 * its last function. 0, -ENOENT or what reading gave.
 */
int cfi_span(struct cfi *c, u64 *start_off, u64 *end_off);

/* Whether there is an entry, or a provider that knows all code. */
bool cfi_has_entries(const struct cfi *c);

/**
 * cfi_page() - the rows of 4 KiB of the file
 * @r:		where its rules are entered
 * @page_off:	offset in the file, a multiple of UW_ROW_PAGE_LEN
 * @rows:	room for UW_MAX_PAGE_ROWS rows as in core/native/row.h
 * @n:		rows written, at least 1
 *
 * Bytes that are not in an executable PT_LOAD get rule 0, as do broken entries and
 * what no rule can say. Costs at most some milliseconds, whatever the file holds;
 * the first page of a gap or of code without any description, as flow_new() says.
 *
 * Return: 0, -EINVAL (offset) or what reading gave.
 */
int cfi_page(struct cfi *c, struct rules *r, u64 page_off, u32 *rows, u32 *n);

/* Valid while @c is open. */
const struct cfi_counts *cfi_counts(const struct cfi *c);
