/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A PE image, laid out as a file or mapped section by section. */

#include "../target/target.h"

#define PE_MAX_SECTIONS 96 /* the limit of the Windows loader */

enum pe_directory { PE_DIRECTORY_DEBUG = 6, PE_DIRECTORY_CLI = 14, PE_DIRECTORIES = 16 };

struct pe_range {
	u32 rva, len;
};

struct pe_section {
	u32 rva, mem_len, file_off, file_len;
};

struct pe {
	struct target *target;
	u64 base_addr;
	bool is_flat; /* memory has the layout of the file; false: each section is at its RVA */
	struct pe_range directories[PE_DIRECTORIES];
	struct pe_section sections[PE_MAX_SECTIONS];
	u32 n_sections;
};

/**
 * pe_init() - read the headers of an image
 * @pe:		filled on success
 * @base:	address of "MZ"
 * @is_flat:	the layout in memory, which the headers do not contain
 *
 * Accepts any machine number, including the numbers that .NET uses for Linux code.
 *
 * Return: 0, -ENOEXEC (no PE image, or crafted data) or the errno of reading.
 */
int pe_init(struct pe *pe, struct target *t, u64 base, bool is_flat);

/* Gets the address of a range of RVAs that lies in one section. Returns 0 or -ERANGE. */
int pe_addr(const struct pe *pe, struct pe_range range, u64 *addr);

/*
 * Gets directory @idx of the CLI header: 1 metadata, 8 ReadyToRun. Returns 0 or a negative errno.
 */
int pe_cli_range(const struct pe *pe, u32 idx, struct pe_range *range);
