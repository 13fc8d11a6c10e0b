/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The files that the process of a plain core had mapped. Private to inspect/case. */

#include "case_core.h"

#include "../dotnet/dotnet.h"
#include "../elf/elf_file.h"

struct case_modules {
	u32 *of; /* module number, from 1, of each file mapping of the core */
	struct elf_file **at; /* indexed by number - 1; NULL: absent, or not the mapped file */
	struct cfi **cfi; /* indexed by number - 1; NULL until rows are requested */
	u32 n; /* number of the core's file mappings; several mappings can have the same module */
	u32 v8; /* the module that contains V8, 0: none */
	struct v8_info v8_info;
	u64 blob_off, blob_len; /* V8's embedded builtins in the file of that module */
	u32 dotnet; /* the module that contains CoreCLR, 0: none that is readable */
	struct dotnet_build *dotnet_build; /* the build of that CoreCLR */
};

/**
 * case_modules_open() - open the files that the process had mapped
 * @out:	close with case_modules_deinit(), also after a failure
 *
 * A file is accepted if it has a build id and its first page equals the first page in the core.
 *
 * Return: 0 or -ENOMEM.
 */
int case_modules_open(const struct core *core, struct case_modules *out);
void case_modules_deinit(struct case_modules *m);

/*
 * Whether the page at @addr equals the page at @file_off of @fd. Bytes past the end of the file
 * count as zeros.
 */
bool case_page_is_of_file(const struct core *core, u64 addr, int fd, u64 file_off);

/* Whether @file_off of an open module is code. */
bool case_module_is_code(const struct case_modules *m, u32 module, u64 file_off);
