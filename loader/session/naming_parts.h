/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Inside of naming: what is known while a stack is named, and who names which frames.
 *
 *	naming.c            the stack, names that are kept, and frames of runtimes
 *	naming_native.c     the kernel's, of files, of JITs that say what they made
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
	enum prof_activity told; /* by the names of the frame: what its runtime does in it */
	bool unresolved;
	bool is_momentary; /* the name is the token's at the sample's time only */
	naming_fn *fn; /* NULL: frames go into the profile */
	void *data;
	u64 pc; /* @fn's: of the frame that is being named */
	char symbol[SYMBOLS_NAME_LEN];
};

/* Enters a frame and appends it to the stack. A stack that is full keeps its leaf side. */
int naming_append(struct naming *n, const struct prof_frame *f);

int naming_kernel(struct naming *n, const struct uw_frame *f);
int naming_native(struct naming *n, struct process *p, struct image *image,
		  const struct uw_sample *s, const struct uw_frame *f);

/* By what the process's JIT has written; 1: nothing of this frame. Else 0 or a negative errno. */
int naming_jit(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	       const struct uw_frame *f);

/* What the image's runtimes do at a place in native code, as far as they know. */
enum prof_activity naming_classify(const struct image *image, const struct runtime_native *at);
