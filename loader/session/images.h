/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The runtimes in each file, shared by all images of processes. */

#include "../rows/row_filler.h"
#include "../runtime/runtimes.h"
#include "../sample/tables.h"
#include "../symbols/module.h"

struct image_build {
	struct runtime_build *of[N_RUNTIMES]; /* NULL: none */
	u16 info_idx[N_RUNTIMES]; /* of the kernel side's table */
	bool is_used[N_RUNTIMES]; /* by a process */
};

/* All members but builds are borrowed. */
struct images {
	struct tables *tables;
	struct modules *modules;
	bool wants_async; /* the kernel side looks for awaiters */
	struct row_filler *rows; /* gets files whose rows will be needed; NULL: no files */
	struct image_build **builds; /* by module id; NULL: not read yet */
	u32 n_builds;
	u64 last_serial;
	size_t jit_used; /* bytes of names of JITs */
};

void images_deinit(struct images *all);

/* The runtimes in a module's file, read once; borrowed, NULL without memory. */
struct image_build *images_build(struct images *all, u32 module);

/* The code in a module's file for which a runtime provides rows, as row_code_fn. */
bool images_code(struct images *all, u32 module, struct row_code *code);

/* Adds a file without a runtime: a process that maps it does not need tables. */
void images_add_file(struct images *all, u32 module, u32 dev_major, u32 dev_minor, u64 inode);

/* Reads a file that is about to be executed. Parts that fail are read again later. */
void images_preload(struct images *all, int fd, const char *path);

/* Reports each runtime whose functions have no names, or perhaps wrong ones. */
void images_each_doubt(const struct images *all,
		       void (*fn)(const char *runtime, const char *why, void *data), void *data);
