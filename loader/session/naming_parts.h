/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * State while a stack is named, private to naming:
 *
 *	naming.c            the stack, cached names, and frames of runtimes
 *	naming_native.c     frames of the kernel, of files, and of JITs that describe their code
 */

#include "naming.h"

#include "../../inspect/symbols/symbols.h"

#define NAMING_CACHED 4096 /* a power of two */
#define NAMING_CACHED_IDS 32
#define NAMING_MAX_IDS 4096 /* of one stack */

struct naming_cached {
	u64 image; /* serial; 0 where a token means the same in each */
	struct uw_frame token;
	u64 named_ns; /* 0: empty */
	enum prof_activity told;
	u32 n;
	u32 ids[NAMING_CACHED_IDS];
};

struct naming {
	struct naming_sources from;
	struct naming_cached cache[NAMING_CACHED];
	struct module_frame native[MODULES_MAX_FRAMES];
	u32 ids[NAMING_MAX_IDS];
	u32 n_ids;
	enum prof_kind leaf; /* of the stack that is being named */
	enum prof_activity told; /* of the runtime, by the names of the frame */
	bool unresolved;
	bool is_momentary; /* the name is right for this sample only */
	naming_fn *fn; /* NULL: frames go into the profile */
	void *data;
	u64 pc; /* for @fn: of the frame that is being named */
	char symbol[SYMBOLS_NAME_LEN];
};

/* Adds a frame to the profile and the stack. A full stack drops frames of its root side. */
int naming_append(struct naming *n, const struct prof_frame *f);

int naming_kernel(struct naming *n, const struct uw_frame *f);
int naming_native(struct naming *n, struct process *p, struct image *image,
		  const struct uw_sample *s, const struct uw_frame *f);

/* By the files of the process's JIT. 0, 1 if they lack the frame, or a negative errno. */
int naming_jit(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	       const struct uw_frame *f);

/* The activity of the image's runtimes at a place in native code. */
enum prof_activity naming_classify(const struct image *image, const struct runtime_native *at);
