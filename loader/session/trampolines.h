/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Memory of a JIT that contains only copies of one trampoline (inspect/unwind/trampoline.h) is
 * recorded as a mapping of a file in memory with the same bytes, so that its unwind rows are made
 * and found like those of any file. All processes share this file. Names of the code still come
 * from the files that the JIT writes, because the file is no ELF file.
 */

#include "../../inspect/target/map_list.h"
#include "../../inspect/unwind/trampoline.h"
#include "../symbols/module.h"

#define TRAMPOLINES_MAX 4 /* different trampolines */

struct trampolines {
	struct {
		struct trampoline code;
		int fd; /* file in memory */
	} v[TRAMPOLINES_MAX];
	u32 n;
};

void trampolines_deinit(struct trampolines *t);

/**
 * trampolines_claim() - claim anonymous executable memory
 * @map:	mapping of process @pid, without a module
 * @module:	set to the module of the copies
 *
 * Return: 1 if mappings were appended to @l, 0 (other code, or unreadable), or -ENOMEM.
 */
int trampolines_claim(struct trampolines *t, struct modules *modules, u32 pid,
		      const struct uw_mapping *map, struct map_list *l, u32 *module);
