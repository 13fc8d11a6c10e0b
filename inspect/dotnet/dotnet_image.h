/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* ReadyToRun images. */

#include "dotnet_runtime.h"

struct r2r;

/* An image with ReadyToRun code. */
struct dotnet_image {
	u64 addr, module; /* address of the image, and address of the image's Module */
	struct r2r *r2r; /* NULL: unreadable */
};

/* Gets the index of an image. Returns 0, -ENOENT (unknown format) or another negative errno. */
int dotnet_image_get(struct dotnet_runtime *rt, u64 addr, u64 module, struct r2r **r2r);
