/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes named frames in the profile from the tokens of a walk.
 *
 *	UW_KERNEL   address                    -> kallsyms
 *	UW_NATIVE   module and file offset     -> the module's symbols, lines and inlined functions
 *	UW_V8_*     function, pc               -> the process's heap, while it lives
 *	            code in no file            -> the process's jitdump or perf map
 *	UW_DOTNET_* MethodDesc, pc             -> the process's runtime, while it lives
 *	            type of an awaiter         -> the same; objects in between are no frames
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
 * naming_is_ready() - check whether symbols and lines of a sample's native frames are loaded
 * @p:		the sample's process; NULL: unknown
 * @image:	the process's image; NULL: none
 *
 * Requests the symbols and lines that are not loaded. A sample can be named without them, but with
 * less detail.
 */
bool naming_is_ready(struct naming *n, struct process *p, struct image *image,
		     const struct uw_sample *s);

/* The result of naming a stack. */
struct naming_result {
	u32 stack; /* id of the stack in the profile */
	enum prof_activity activity;
	bool unresolved; /* some frames have no names, because the process was gone before they
			  * could be named */
};

/**
 * naming_stack() - name the frames of a sample and add the stack to the profile
 * @p:		the sample's process; NULL: unknown
 * @image:	the process's image; NULL: none
 * @now_ns:	CLOCK_MONOTONIC; cached names expire after 100 ms
 *
 * Return: 0 or a negative errno of the profile.
 */
int naming_stack(struct naming *n, struct process *p, struct image *image,
		 const struct uw_sample *s, u64 now_ns, struct naming_result *result);

/*
 * Receives a named frame, which is borrowed until the function returns, and the pc of the walk's
 * frame. A non-zero return value ends the stack.
 */
typedef int naming_fn(const struct prof_frame *f, u64 pc, void *data);

/**
 * naming_each() - pass the named user frames of a sample to a function
 *
 * Cached names are not used; all names are read from the target.
 *
 * Return: 0 or what @fn returned.
 */
int naming_each(struct naming *n, struct process *p, struct image *image, const struct uw_sample *s,
		naming_fn *fn, void *data);
