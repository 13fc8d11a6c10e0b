/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds the stack slot of `this`. */

#include "dotnet_runtime.h"

/* The stack slot is at fp + @slot. It is valid once the first @from bytes of the code have run. */
struct dotnet_home {
	s32 slot;
	u32 from;
};

/* Finds the slot. Returns 0, -ENOENT (unknown), -EINVAL, -ENOTSUP or the errno of reading. */
int dotnet_home_find(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     struct dotnet_home *home);
