/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Who awaits the async methods of a CoreCLR (core/dotnet/await.h): what user space does for it. The
 * walk is told of methods and types as they are met, so a stack misses its awaiting callers
 * until the next sample of the same ones.
 */

#include "../../core/uw_frame.h"
#include "../../inspect/dotnet/dotnet.h"
#include "../sample/tables.h"

#define AWAITS_ROLES 1024 /* a power of two */

/* Of one image of a process; all zero at first. */
struct awaits {
	struct {
		u64 key; /* as in struct dotnet_await; 0: none */
		u8 role; /* enum dotnet_await_role */
	} roles[AWAITS_ROLES]; /* by hash of the key: what was asked last */
	struct dotnet_name name;
};

/* Tells the walk of what it did not know in this sample. */
void awaits_learn(struct awaits *a, struct dotnet_runtime *rt, struct tables *t,
		  const struct uw_sample *s);

/**
 * awaits_doubt() - are the frames from @i on those that await frame @i - 1?
 * @i:		the first of a row of UW_DOTNET_AWAITER; it has to be the frame's own task
 *
 * Return: NULL, or why they are not told.
 */
const char *awaits_doubt(struct awaits *a, struct dotnet_runtime *rt, struct tables *t,
			 const struct uw_sample *s, u32 i);
