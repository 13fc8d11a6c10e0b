/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The runtimes in each file, shared by all images of processes. */

#include "../rows/row_filler.h"
#include "../runtime/runtimes.h"
#include "../sample/tables.h"
#include "../symbols/module.h"
#include "trampolines.h"

struct image_build {
	struct runtime_build *of[N_RUNTIMES]; /* NULL: none */
	u16 info_idx[N_RUNTIMES]; /* index in the BPF table */
	bool is_used[N_RUNTIMES]; /* by a process */
};

/* All members but builds are borrowed. */
struct images {
	struct tables *tables;
	struct modules *modules;
	bool wants_async; /* the BPF programs look for awaiters */
	struct deferred_maps *maps; /* receives the source maps of scripts; NULL: not wanted */
	struct row_filler *rows; /* receives the files whose rows will be needed; NULL: no rows are
				  * loaded */
	struct image_build **builds; /* indexed by module id; NULL: the file was not read yet */
	u32 n_builds;
	u64 last_serial;
	struct trampolines trampolines;
	size_t jit_used; /* bytes of memory for names from JITs */
};

void images_deinit(struct images *all);

/*
 * The runtimes in the file of a module. The file is read only once. The result is borrowed; NULL if
 * out of memory.
 */
struct image_build *images_build(struct images *all, u32 module);

/* The code in a module's file for which a runtime provides rows, as row_code_fn. */
bool images_code(struct images *all, u32 module, struct row_code *code);

/*
 * Adds a file without a runtime to the BPF tables, so that a process that maps it needs no tables
 * of its own.
 */
void images_add_file(struct images *all, u32 module, u32 dev_major, u32 dev_minor, u64 inode);

/*
 * Reads a file that is about to be executed. If a part of the file cannot be read now, it is read
 * again later.
 */
void images_preload(struct images *all, int fd, const char *path);

/* Reports each runtime whose functions have no names, or whose names may be wrong. */
void images_each_doubt(const struct images *all,
		       void (*fn)(const char *runtime, const char *why, void *data), void *data);
