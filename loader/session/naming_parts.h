/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The state while a stack is named. Private to these files:
 *
 *	naming.c            the stack, cached names, and frames of runtimes
 *	naming_native.c     frames of the kernel, of files, and of JITs that describe their code
 */

#include "naming.h"

#include "../../inspect/symbols/symbols.h"

#define NAMING_CACHED 4096 /* a power of two */
#define NAMING_CACHED_IDS 32
#define NAMING_MAX_IDS 4096 /* maximum number of ids of one stack */

struct naming_cached {
	u64 image; /* serial number of the image; 0 if the frame's token means the same in every
		    * image */
	struct uw_frame token;
	u64 named_ns; /* 0: empty */
	enum prof_activity implied;
	u32 n;
	u32 ids[NAMING_CACHED_IDS];
};

struct naming {
	struct naming_sources from;
	struct naming_cached cache[NAMING_CACHED];
	struct module_frame native[MODULES_MAX_FRAMES];
	u32 ids[NAMING_MAX_IDS];
	u32 n_ids;
	enum prof_kind leaf; /* kind of the leaf frame of the stack that is being named */
	enum prof_activity implied; /* activity of the runtime that the names of the frame imply */
	bool unresolved;
	bool is_momentary; /* the name is right for this sample only */
	naming_fn *fn; /* NULL: frames are added to the profile */
	void *data;
	u64 pc; /* pc of the frame that is being named; passed to fn */
	char symbol[SYMBOLS_NAME_LEN];
};

/*
 * Adds a frame to the profile and the stack. If the stack is full, the frame is dropped, so that
 * a very deep stack lacks its outermost frames.
 */
int naming_append(struct naming *n, const struct prof_frame *f);

int naming_kernel(struct naming *n, const struct uw_frame *f);
int naming_native(struct naming *n, struct process *p, struct image *image,
		  const struct uw_sample *s, const struct uw_frame *f);

/*
 * Names a frame by the files of the process's JIT. Return: 0, 1 if the files lack the frame, or a
 * negative errno.
 */
int naming_jit(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	       const struct uw_frame *f);

/* The activity of the image's runtimes at a place in native code. */
enum prof_activity naming_classify(const struct image *image, const struct runtime_native *at);
