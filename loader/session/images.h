/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Files by the runtimes in them, shared by all images of processes. */

#include "../rows/row_filler.h"
#include "../runtime/runtimes.h"
#include "../sample/tables.h"
#include "../symbols/module.h"

struct image_build {
	struct runtime_build *of[N_RUNTIMES]; /* NULL: none that the walk knows */
	u16 info_idx[N_RUNTIMES]; /* of the kernel side's table */
	bool is_used[N_RUNTIMES]; /* by a process */
};

/* Everything is borrowed but builds. */
struct images {
	struct tables *tables;
	struct modules *modules;
	bool wants_async; /* the kernel side shall find functions that wait */
	struct row_filler *rows; /* is told of files whose rows will be wanted; NULL: of none */
	struct image_build **builds; /* by module id; NULL: not looked at yet */
	u32 n_builds;
	u64 last_serial;
	size_t jit_used; /* bytes of names of JITs */
};

void images_deinit(struct images *all);

/* The runtimes in a module's file, looked for once; borrowed, NULL without memory. */
struct image_build *images_build(struct images *all, u32 module);

/* Code in a module's file whose rows a runtime has: as row_code_fn. */
bool images_code(struct images *all, u32 module, struct row_code *code);

/* A file without a runtime: processes that are about to map it need not wait for tables. */
void images_tell_file(struct images *all, u32 module, u32 dev_major, u32 dev_minor, u64 inode);

/* Learns all of a file that is about to be executed; what can't be read now is tried again then. */
void images_preload(struct images *all, int fd, const char *path);

/* What is to be said of each runtime whose functions could not be named, or perhaps not. */
void images_each_doubt(const struct images *all,
		       void (*fn)(const char *runtime, const char *why, void *data), void *data);
