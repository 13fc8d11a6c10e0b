/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where a frame keeps `this`. */

#include "dotnet_runtime.h"

/* At fp + slot, once @from bytes of the code were executed. */
struct dotnet_home {
	s32 slot;
	u32 from;
};

/* 0, -ENOENT (it keeps it nowhere that is known), -EINVAL, -ENOTSUP or what reading gave. */
int dotnet_home_find(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     struct dotnet_home *home);
