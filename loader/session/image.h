/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One image of a process, from exec to exec: what the kernel side is told of it,
 * and its runtimes. Made when the process is first of interest, dropped
 * with exec or exit.
 */

#include "../jit/jit_names.h"
#include "../process/process.h"
#include "images.h"

struct image {
	struct images *all;
	u64 serial; /* of all images there ever were, from 1 */
	struct process *process;
	struct runtime *runtimes[N_RUNTIMES]; /* NULL: it has none of these */
	struct target_process memory[N_RUNTIMES]; /* theirs; mem_fd -1: not open */
	struct runtime_host host;
	struct jit_names *jit; /* NULL: no code without a file was met yet */
	struct uw_mapping *maps; /* as the kernel side has them */
	u32 n_maps;
	u32 gen, first_gen; /* of the tables now and at first, as samples carry them; 0: none */
	u64 told_start_ns; /* of the process, as the tables have it */
	u64 exec_id; /* UW_EXEC_UNKNOWN until a sample told it */
	/* CLOCK_MONOTONIC: when /proc was asked last, about the tables and about the name. */
	u64 refreshed_ns, asked_ns;
	u64 copies_ns; /* when the mappings in which copies of builtins were looked for were read */
	u64 prefetched_ns; /* when the stack of one of its threads was looked at */
	u32 n_execs; /* of the process, when it got this image */
	u64 named_tids[4]; /* bits by tid: threads whose functions' names are kept */
	bool must_wait; /* for the name: what /proc said last */
	bool changed; /* mappings are newer than the kernel side's */
	bool announced; /* the profile has the process's line... */
	char told_name[sizeof(((struct process *)0)->name)]; /* ...with this name */
};

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
void image_take_mapping(struct image *image, const struct process_mmap_event *e);

/* Reads the symbols of the process's runtimes, where names need them, while there is time. */
void image_preload(struct image *image);

/* The kernel side gets what a walk lacked. True: the process has code that is in no tables. */
bool image_learn(struct image *image, const struct uw_sample *s);

/**
 * image_names_thread() - names of what a thread runs are about to be looked up
 * image_forget_thread() - a thread has ended
 *
 * A worker's isolate of V8 ends with its thread. The next worker's takes the same addresses
 * with much the same objects, so no name may outlive its thread.
 */
void image_names_thread(struct image *image, u32 tid);
void image_forget_thread(struct image *image, u32 tid);

/* No name is kept any more. */
void image_forget_names(struct image *image);

/* Names of code that is in no file; NULL without memory. */
struct jit_names *image_jit(struct image *image);

/* The runtime that the process is called by; NULL: none. */
const struct runtime_build *image_runtime(const struct image *image);
