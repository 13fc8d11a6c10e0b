/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Inside of naming: what is known while a stack is named, and who names which frames.
 *
 *	naming.c            the stack, and names that are kept
 *	naming_native.c     the kernel's, of files, of JITs that say what they made
 *	naming_runtimes.c   of V8 and CoreCLR, and those who wait
 */

#include "naming.h"

#include "../../inspect/dotnet/dotnet_frame.h"
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
	struct v8_name v8[V8_MAX_NAMES];
	struct dotnet_frame dotnet;
	struct module_frame native[MODULES_MAX_FRAMES];
	u32 ids[NAMING_MAX_IDS];
	u32 n_ids;
	enum prof_kind leaf; /* of the stack that is being named */
	enum prof_activity told; /* by the names of the frame: what V8 does in it */
	enum prof_activity does; /* told by the first of V8's own that told something */
	bool unresolved;
	bool is_momentary; /* the name is the token's at the sample's time only */
	naming_fn *fn; /* NULL: frames go into the profile */
	void *data;
	u64 pc; /* @fn's: of the frame that is being named */
	char symbol[SYMBOLS_NAME_LEN];
};

/* Enters a frame and appends it to the stack. A stack that is full keeps its leaf side. */
int naming_append(struct naming *n, const struct prof_frame *f);

/* Why the walk could not identify a frame, NULL: it did. */
const char *naming_reason(const struct uw_frame *f);

int naming_kernel(struct naming *n, const struct uw_frame *f);
int naming_native(struct naming *n, struct process *p, struct image *image,
		  const struct uw_sample *s, const struct uw_frame *f);
int naming_v8(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	      u32 i);

/* By what the process's JIT has written; 1: nothing of this frame. Else 0 or a negative errno. */
int naming_jit(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
	       const struct uw_frame *f);
int naming_dotnet(struct naming *n, struct image *image, const struct uw_frame *f);

/**
 * naming_awaiters() - the objects that wait for frame @i - 1, from @i on
 * @next:	the frame after them
 *
 * The first is that method's own.
 */
int naming_awaiters(struct naming *n, struct image *image, const struct uw_sample *s, u32 i,
		    u32 *next);
