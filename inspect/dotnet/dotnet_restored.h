/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Methods of code that was compiled ahead of time, as the runtime knows them. */

#include "dotnet_runtime.h"

/* The MethodDesc of an entry point in @module's image; -ENOENT: it was not restored. */
int dotnet_restored_find(struct dotnet_runtime *rt, u64 module, u64 entry, u64 *method_desc);
