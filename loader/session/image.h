/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * One image of a process, which lasts from one exec to the next: the mappings in the BPF tables,
 * and the runtimes. The image is made when it is first needed, and freed when the process calls
 * exec or exits.
 */

#include "../../inspect/util/budget.h"
#include "../jit/jit_names.h"
#include "../process/process.h"
#include "images.h"

struct image {
	struct images *all;
	u64 serial; /* unique number of the image, from 1 */
	struct process *process;
	struct runtime *runtimes[N_RUNTIMES]; /* NULL: the runtime is not in this image */
	struct target_process memory[N_RUNTIMES]; /* the process's memory, for the runtimes;
						   * mem_fd -1: not open */
	struct runtime_host host;
	struct jit_names *jit; /* NULL: no code without a file was sampled yet */
	struct uw_mapping *maps; /* the mappings in the BPF tables */
	u32 n_maps;
	u32 gen, first_gen; /* current and first generation of the process's BPF tables; samples
			     * contain the generation with which they were walked; 0: none */
	u64 tables_start_ns; /* start time of the process in the BPF tables */
	u64 exec_id; /* exec id from a sample; UW_EXEC_UNKNOWN before the first sample */
	/*
	 * CLOCK_MONOTONIC times of the last reads of /proc, for the tables and for the process's
	 * name.
	 */
	u64 refreshed_ns, asked_ns;
	/* loaded_ns of the mappings that were searched for copies of builtins, or NEVER_NS */
	u64 copies_ns;
	u64 prefetched_ns; /* last prefetch of a thread's stack */
	s64 left_ns; /* CPU time that reading the process may still take */
	u64 earned_ns; /* when left_ns was last increased */
	u32 n_execs; /* n_execs of the process when the image was made */
	u64 named_tids[4]; /* bit (tid % 256) is set if function names may be cached for the thread
			    * tid */
	bool must_wait; /* when /proc was last read, it had no name of the process yet */
	bool changed; /* the process's mappings are newer than the BPF tables */
	bool is_written; /* the line of the process is in the profile */
	u32 n_forgotten; /* n_forgotten of the metadata writer when the line was written */
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
 * image_begin_reading() - limit the CPU time for reading the process, until image_end_reading()
 * @b:		the limit
 * @max_ns:	longest time, if the process has it left
 *
 * Reading a process may take IMAGE_READ_NS at once and half of the elapsed time in the long run.
 * After that, its frames have no names, and new mappings are not read.
 */
void image_begin_reading(struct image *image, struct budget *b, u64 max_ns);
void image_end_reading(struct image *image, struct budget *b);

#define IMAGE_READ_NS 2000000000ull

/**
 * image_update() - write the process's mappings to the BPF tables
 *
 * Does nothing if the mappings have not changed.
 *
 * Return: 0, -ENOSPC (the tables are full: samples are walked without them), -ENOMEM.
 */
int image_update(struct image *image);

/**
 * image_take_mapping() - handle an event about executable memory
 *
 * Call this function after the memory was added to the process's mappings, and before
 * image_update().
 */
void image_take_mapping(struct image *image, const struct process_mmap_event *e);

/*
 * Reads the symbols of the process's runtimes ahead of time, if the names of the runtimes' frames
 * depend on these symbols.
 */
void image_preload(struct image *image);

/*
 * Writes the table entries that the walk of a sample lacked. Return: whether the process has
 * code that is in no table.
 */
bool image_learn(struct image *image, const struct uw_sample *s);

/**
 * image_names_thread() - note that names for a thread are about to be cached
 * image_forget_thread() - drop the names of a thread that has ended
 *
 * The V8 isolate of a worker ends with the worker's thread. The isolate of the next worker has
 * similar objects at the same addresses, so the names that were cached for a thread must be
 * dropped when the thread ends.
 */
void image_names_thread(struct image *image, u32 tid);
void image_forget_thread(struct image *image, u32 tid);

/* Drops all cached names. */
void image_forget_names(struct image *image);

/* The names of code that is in no file; NULL if out of memory. */
struct jit_names *image_jit(struct image *image);

/* The runtime that the profile reports for the process; NULL: none. */
const struct runtime_build *image_runtime(const struct image *image);
