/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The tables of a thread in a profile of the Firefox Profiler. Private to loader/out. */

#include "../profile/json_line.h"
#include "call_tree.h"
#include "model.h"
#include "numbers.h"

/* Categories of frames and markers, in the order of meta.categories. */
enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_JS,
	FIREFOX_WASM,
	FIREFOX_V8,
	FIREFOX_DOTNET,
	FIREFOX_JIT,
	FIREFOX_NATIVE,
	FIREFOX_KERNEL,
	FIREFOX_GC,
	FIREFOX_COMPILE,
	FIREFOX_N_CATEGORIES
};

/* A module of the profile; strings are borrowed and may be empty. */
struct firefox_lib {
	const char *path, *build_id;
};

struct firefox {
	struct model model;
	struct intern lib_keys; /* "path \0 build id \0" */
	u32 *lib_of_frame; /* index of the module, or DATA_NONE */
	struct json_line line;
	FILE *out;
};

/* The frames, functions, stacks and strings of one thread. */
struct firefox_tables {
	struct numbers frames; /* index of the frame, or n_frames + node of the end of a stack */
	struct numbers functions; /* node */
	struct intern strings;
	struct call_tree stacks; /* labels are numbers in frames */
	u32 *stack_of_stack; /* number in stacks of each stack of the model, or DATA_NONE */
};

void firefox_tables_init(struct firefox_tables *t);
void firefox_tables_deinit(struct firefox_tables *t);

/*
 * Collects the frames and stacks of a thread. Returns 0, -ENOMEM, or -ENOSPC if a table is full.
 */
int firefox_tables_fill(const struct firefox *f, const struct model_thread *thread,
			struct firefox_tables *t);

/* Returns 0, -ENOMEM or -ENOSPC. */
int firefox_string(struct firefox_tables *t, const char *s, u32 *idx);

/* Writes the tables as keys of the thread. Returns 0 or the negative errno of a write. */
int firefox_tables_put(struct firefox *f, struct firefox_tables *t);

/* Adds a time to f->line, in milliseconds. */
void firefox_ms(struct firefox *f, const char *key, u64 us);

/* Adds the key markerSchema. */
void firefox_marker_schema(struct json_line *l);

/*
 * Writes the key markers of a thread. @names: numbers of the strings "GC" and "Compilation".
 * Returns 0 or the negative errno of a write.
 */
int firefox_markers_put(struct firefox *f, const struct model_thread *t, const u32 names[2]);

/* Writes the text of f->line if it is long. Returns 0 or the negative errno of the write. */
int firefox_drain(struct firefox *f);

/* Returns the path and build id of module @i. */
struct firefox_lib firefox_lib(const struct firefox *f, u32 i);
