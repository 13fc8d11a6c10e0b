/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The runtime's own table of ReadyToRun methods. */

#include "dotnet_runtime.h"

/*
 * Gets the MethodDesc of an entry point in @module's image. Returns -ENOENT if the method has never
 * been executed.
 */
int dotnet_restored_find(struct dotnet_runtime *rt, u64 module, u64 entry, u64 *method_desc);
