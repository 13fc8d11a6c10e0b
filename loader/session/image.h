/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One image of a process, from exec to exec: what the kernel side is told of it,
 * and the reader of its heap. Made when the process is first of interest, dropped
 * with exec or exit.
 */

#include "../../inspect/v8/v8.h"
#include "../jit/jit_names.h"
#include "../life/process.h"
#include "../rows/row_filler.h"
#include "../sample/tables.h"
#include "../symbols/module.h"
#include "image_dotnet.h"

/* What all images share. Everything is borrowed but builds. */
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

struct image {
	struct images *all;
	u64 serial; /* of all images there ever were, from 1 */
	struct process *process;
	struct image_build *build; /* of V8, NULL: none */
	struct target_process memory; /* valid while heap is set */
	struct v8_heap *heap; /* NULL: no V8, or it can't be read */
	struct jit_names *jit; /* NULL: no code without a file was met yet */
	struct image_dotnet dotnet;
	struct uw_mapping *maps; /* as the kernel side has them */
	u32 n_maps;
	u32 gen, first_gen; /* of the tables now and at first, as samples carry them; 0: none */
	u64 told_start_ns; /* of the process, as the tables have it */
	u64 exec_id; /* UW_EXEC_UNKNOWN until a sample told it */
	/* CLOCK_MONOTONIC: when /proc was asked last, about the tables and about the name. */
	u64 refreshed_ns, asked_ns;
	u64 copies_ns; /* when the mappings in which copies of builtins were looked for were read */
	u64 foreseen_ns; /* when the stack of one of its threads was looked at */
	u32 n_execs; /* of the process, when it got this image */
	u64 named_tids[4]; /* bits by tid: threads whose functions' names are kept */
	bool must_wait; /* for the name: what /proc said last */
	bool changed; /* mappings are newer than the kernel side's */
	bool announced; /* the profile has the process's line... */
	char told_name[sizeof(((struct process *)0)->name)]; /* ...with this name */
};

void images_deinit(struct images *all);

/* The V8 that a module's file holds, borrowed until images_deinit(); NULL: none. */
const struct v8_build *images_v8(struct images *all, u32 module);

/**
 * image_new() - an image of a process as it is now
 * @image:	new object, free with image_free()
 * @p:		borrowed; its mappings are read at every image_update()
 */
int image_new(struct image **image, struct images *all, struct process *p);
void image_free(struct image **image);

/**
 * image_update() - tell the kernel side what the process's mappings are now
 *
 * Does nothing when they are what it has already.
 *
 * Return: 0, -ENOSPC (the tables are full: samples are walked blindly), -ENOMEM.
 */
int image_update(struct image *image);

/**
 * image_take_mapping() - an event told of executable memory, and the process's mappings have it
 *
 * To be called before image_update().
 */
void image_take_mapping(struct image *image, const struct life_mmap *e);

/* Learns all of a file that is about to be executed; what can't be read now is tried again then. */
void images_preload(struct images *all, int fd, const char *path);

/* Reads the symbols of the process's V8, if it has one, while there is time. */
void image_preload(struct image *image);

/**
 * image_names_thread() - names of what a thread runs are about to be looked up
 * image_forget_thread() - a thread has ended
 *
 * A worker's isolate ends with its thread. The next worker's takes the same addresses
 * with much the same objects, so no name may outlive its thread.
 */
void image_names_thread(struct image *image, u32 tid);
void image_forget_thread(struct image *image, u32 tid);

/* Names of code that is in no file; NULL without memory. */
struct jit_names *image_jit(struct image *image);

/* What the kernel side has of the image's V8, or NULL. */
const struct v8_info *image_v8_info(const struct image *image);

/* Why frames of the image's V8 can't be named; NULL: they can, or there is none. */
const char *image_v8_why(const struct image *image);

/* The name of V8's builtin at a pc, or NULL: as v8_build_builtin_name(). */
const char *image_v8_builtin(const struct image *image, u64 pc);

/* Keeps whether the process's heap was as expected, for images_each_doubt(). */
void image_judge_heap(struct image *image);

/* What is to be said of each V8 whose functions could not be told or found, or perhaps not. */
void images_each_doubt(const struct images *all,
		       void (*fn)(const char *runtime, const char *why, void *data), void *data);

/* "Node.js 24.21.0", or NULL. */
const char *image_runtime(const struct image *image);
