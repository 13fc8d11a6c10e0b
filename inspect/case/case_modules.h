/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The files that a plain core's process had mapped. Private to inspect/case. */

#include "case_core.h"

#include "../dotnet/dotnet.h"
#include "../elf/elf_file.h"

struct case_modules {
	u32 *of; /* for each of the core's files the number of its module, from 1 */
	struct elf_file **at; /* by number - 1; NULL: not there, or not the process's */
	struct cfi **cfi; /* by number - 1, when rows were asked for; else NULL */
	u32 n; /* files of the core; modules are fewer */
	u32 v8; /* the module that V8 is in, 0: none */
	struct v8_info v8_info;
	u64 blob_off, blob_len; /* V8's builtins in its file */
	u32 dotnet; /* the module that CoreCLR is in, 0: none that can be read */
	struct dotnet_build *dotnet_build; /* it */
};

/**
 * case_modules_open() - find the files, and open those that are the process's own
 * @out:	ends with case_modules_deinit(), also after a failure
 *
 * A file is believed when its first page is the one in the core, and it has a build id.
 *
 * Return: 0 or -ENOMEM.
 */
int case_modules_open(const struct core *core, struct case_modules *out);
void case_modules_deinit(struct case_modules *m);

/* Is a page of the process what a file has at an offset? What follows its end counts as zeros. */
bool case_page_is_of_file(const struct core *core, u64 addr, int fd, u64 file_off);

/* Is it code of a file that is known? */
bool case_module_is_code(const struct case_modules *m, u32 module, u64 file_off);
