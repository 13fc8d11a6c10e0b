/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One image of a process, from exec to exec: the mappings that the kernel side has, and its
 * runtimes. Made when the process is first needed, freed at exec or exit.
 */

#include "../jit/jit_names.h"
#include "../process/process.h"
#include "images.h"

struct image {
	struct images *all;
	u64 serial; /* of all images there ever were, from 1 */
	struct process *process;
	struct runtime *runtimes[N_RUNTIMES]; /* NULL: not in this image */
	struct target_process memory[N_RUNTIMES]; /* for the runtimes; mem_fd -1: not open */
	struct runtime_host host;
	struct jit_names *jit; /* NULL: no code without a file was sampled yet */
	struct uw_mapping *maps; /* as the kernel side has them */
	u32 n_maps;
	u32 gen, first_gen; /* of the tables now and at first, as samples carry them; 0: none */
	u64 tables_start_ns; /* of the process, as the tables have it */
	u64 exec_id; /* from a sample; UW_EXEC_UNKNOWN before */
	/* CLOCK_MONOTONIC: the last reads of /proc, for the tables and for the name. */
	u64 refreshed_ns, asked_ns;
	u64 copies_ns; /* loaded_ns of the mappings that were searched for copies of builtins */
	u64 prefetched_ns; /* last prefetch of a thread's stack */
	u32 n_execs; /* of the process, when the image was made */
	u64 named_tids[4]; /* bits by tid: threads whose names of functions are cached */
	bool must_wait; /* /proc had no name yet */
	bool changed; /* mappings are newer than the kernel side's */
	bool is_written; /* the profile has the process's line */
	char written_name[sizeof(((struct process *)0)->name)]; /* name in that line */
};

/**
 * image_new() - make the image of a process as it is now
 * @image:	new object, free with image_free()
 * @p:		borrowed; its mappings are read at every image_update()
 */
int image_new(struct image **image, struct images *all, struct process *p);
void image_free(struct image **image);

/**
 * image_update() - write the process's mappings to the kernel side
 *
 * Does nothing if they have not changed.
 *
 * Return: 0, -ENOSPC (the tables are full: samples are walked without them), -ENOMEM.
 */
int image_update(struct image *image);

/**
 * image_take_mapping() - handle an event about executable memory
 *
 * Call it when the process's mappings have the memory, before image_update().
 */
void image_take_mapping(struct image *image, const struct process_mmap_event *e);

/* Reads the symbols of the process's runtimes ahead of time, if names need them. */
void image_preload(struct image *image);

/* Writes table entries that the walk lacked. True: the process has code that is in no table. */
bool image_learn(struct image *image, const struct uw_sample *s);

/**
 * image_names_thread() - note that names for a thread are about to be cached
 * image_forget_thread() - drop the names of a thread that has ended
 *
 * The V8 isolate of a worker ends with its thread. The isolate of the next worker has similar
 * objects at the same addresses, so no name may outlive its thread.
 */
void image_names_thread(struct image *image, u32 tid);
void image_forget_thread(struct image *image, u32 tid);

/* Drops all cached names. */
void image_forget_names(struct image *image);

/* Names of code that is in no file; NULL without memory. */
struct jit_names *image_jit(struct image *image);

/* The runtime that the process is named after; NULL: none. */
const struct runtime_build *image_runtime(const struct image *image);
