/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * From the tokens of a walk to named frames in the profile.
 *
 *	UW_KERNEL   address                    -> kallsyms
 *	UW_NATIVE   module and file offset     -> the module's symbols, lines and inlined functions
 *	UW_V8_*     function, pc               -> the process's heap, while it lives
 *	            code in no file            -> the process's jitdump or perf map
 *	UW_DOTNET_* MethodDesc, pc             -> the process's runtime, while it lives
 *	            type of what waits         -> the same; steps on the way are no frames
 *	UW_UNKNOWN  pc, tables came too late   -> the process's mappings, then as native
 */

#include "../profile/profile.h"
#include "../symbols/kallsyms.h"
#include "image.h"

struct naming;

/* All borrowed. */
struct naming_sources {
	struct modules *modules;
	struct kallsyms *kallsyms;
	struct profile *profile;
};

int naming_new(struct naming **n, const struct naming_sources *sources);
void naming_free(struct naming **n);

/**
 * naming_is_ready() - is all known that will be known of a sample's native frames?
 * @p:		the sample's process, NULL: not known
 * @image:	its image, NULL: none
 *
 * Asks for what is not. A sample may be named all the same: then by what is known.
 */
bool naming_is_ready(struct naming *n, struct process *p, struct image *image,
		     const struct uw_sample *s);

/* What became of a stack. */
struct naming_result {
	u32 stack; /* id in the profile */
	enum prof_activity activity;
	bool unresolved; /* the heap was gone before its frames could be named */
};

/**
 * naming_stack() - name the frames of a sample and enter its stack
 * @p:		the sample's process, NULL: not known
 * @image:	its image, NULL: none
 * @now_ns:	CLOCK_MONOTONIC; names are looked up anew when older than 100 ms
 *
 * Return: 0 or a negative errno of the profile.
 */
int naming_stack(struct naming *n, struct process *p, struct image *image,
		 const struct uw_sample *s, u64 now_ns, struct naming_result *result);

/*
 * Gets a named frame, borrowed until it returns, and the pc of the walk's frame that it is
 * of; a non-zero return ends the stack.
 */
typedef int naming_fn(const struct prof_frame *f, u64 pc, void *data);

/**
 * naming_each() - name the user frames of a sample for somebody else than the profile
 *
 * Nothing that is kept is used: whatever the names depend on is read from the target.
 *
 * Return: 0 or what @fn returned.
 */
int naming_each(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
		naming_fn *fn, void *data);
