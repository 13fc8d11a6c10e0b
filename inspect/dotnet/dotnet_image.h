/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Code that was compiled ahead of time. */

#include "dotnet_runtime.h"

struct r2r;

/* An image with code that was compiled ahead of time. */
struct dotnet_image {
	u64 addr, module; /* where it is mapped, and of which Module */
	struct r2r *r2r; /* NULL: it can't be read */
};

/* 0, -ENOENT (its code is not in a form that is known) or another negative errno. */
int dotnet_image_get(struct dotnet_runtime *rt, u64 addr, u64 module, struct r2r **r2r);
