/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Finds a method's row of metadata from its MethodDesc. */

#include "dotnet_runtime.h"

/* The contents of a MethodDesc. */
struct dotnet_method {
	u64 addr;
	u32 class; /* DOTNET_CLASS_* */
	u32 token;
	u64 type; /* MethodTable */
	u64 module; /* Module */
	bool is_tiered; /* may be compiled in tiers; known since .NET 8 */
};

/* MethodClassification (vm/method.hpp). */
#define DOTNET_CLASS_INSTANTIATED 5
#define DOTNET_CLASS_DYNAMIC 7

int dotnet_method_read(struct dotnet_runtime *rt, u64 method_desc, struct dotnet_method *m);

/*
 * Gets the address of the first code compiled for a method. Returns -ENOENT if the runtime did not
 * store that address. Only for .NET 8 and later.
 */
int dotnet_method_code(struct dotnet_runtime *rt, u64 method_desc, u64 *start);
