/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who awaits the async methods of a CoreCLR (core/dotnet/await.h): what user space does for it. The
 * walk is told of methods and types as they are met, so the first stacks of each miss their
 * awaiting callers.
 */

#include "../../inspect/dotnet/dotnet.h"
#include "runtime.h"

struct awaits;

/* @rt, @memory: of one image of a process; all borrowed. 0 or -ENOMEM. */
int awaits_new(struct awaits **a, struct dotnet_runtime *rt, struct target *memory,
	       const struct runtime_host *host);
void awaits_free(struct awaits **a);

/* Tells the walk of what it did not know in this sample. */
void awaits_learn(struct awaits *a, const struct uw_sample *s);

/**
 * awaits_are_its() - do the objects from frame @i on wait for frame @i - 1?
 * @i:		the first of a row of UW_DOTNET_AWAITER: the task of frame @i - 1 itself
 * @why:	set where not; NULL: nothing is missing, no async method runs there yet
 */
bool awaits_are_its(struct awaits *a, const struct uw_sample *s, u32 i, const char **why);
