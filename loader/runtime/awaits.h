/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The user-space part of awaiters of CoreCLR's async methods (core/dotnet/await.h). A method or
 * type is added to the walk's table when it is first sampled, so the first stacks that contain it
 * lack awaiters.
 */

#include "../../inspect/dotnet/dotnet.h"
#include "runtime.h"

struct awaits;

/* @rt, @memory: for one image of a process. All arguments are borrowed. Return: 0 or -ENOMEM. */
int awaits_new(struct awaits **a, struct dotnet_runtime *rt, struct target *memory,
	       const struct runtime_host *host);
void awaits_free(struct awaits **a);

/* Adds to the walk's table the methods and types of this sample that it lacked. */
void awaits_learn(struct awaits *a, const struct uw_sample *s);

/**
 * awaits_are_its() - check whether the objects in the frames from @i on really await frame @i - 1
 * @i:		index of the first of several UW_DOTNET_AWAITER frames; this first one is the task
 *		of frame @i - 1 itself
 * @why:	the reason if the result is false; NULL: no async method has awaited anything yet
 */
bool awaits_are_its(struct awaits *a, const struct uw_sample *s, u32 i, const char **why);
