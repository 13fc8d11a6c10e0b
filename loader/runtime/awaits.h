/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Awaiters of async methods of CoreCLR (core/dotnet/await.h): the part of user space. It adds
 * methods and types to the walk's table when they are first sampled, so the first stacks of each
 * lack their awaiters.
 */

#include "../../inspect/dotnet/dotnet.h"
#include "runtime.h"

struct awaits;

/* @rt, @memory: of one image of a process. All are borrowed. 0 or -ENOMEM. */
int awaits_new(struct awaits **a, struct dotnet_runtime *rt, struct target *memory,
	       const struct runtime_host *host);
void awaits_free(struct awaits **a);

/* Adds the methods and types to the walk's table that it lacked in this sample. */
void awaits_learn(struct awaits *a, const struct uw_sample *s);

/**
 * awaits_are_its() - check whether the objects from frame @i on await frame @i - 1
 * @i:		the first of a row of UW_DOTNET_AWAITER: the task of frame @i - 1 itself
 * @why:	the reason if they do not; NULL: no async method has awaited anything yet
 */
bool awaits_are_its(struct awaits *a, const struct uw_sample *s, u32 i, const char **why);
