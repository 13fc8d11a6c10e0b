/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* All runtimes. */

#include "runtime.h"

enum { RUNTIME_V8, RUNTIME_DOTNET, N_RUNTIMES };

/* In the order in which they claim mappings; place() is called in the opposite order. */
extern const struct runtime_ops *const runtimes[N_RUNTIMES];
extern const struct runtime_ops v8_runtime, dotnet_runtime;

/* The index of the runtime that a frame belongs to; N_RUNTIMES: none, or native code. */
u32 runtime_of_frame(const struct uw_frame *f);
/* The index of the runtime that an awaiter belongs to; N_RUNTIMES: none. */
u32 runtime_of_awaiter(const struct uw_frame *f);

/*
 * The runtime that is reported for a process: the first runtime that can be read, or, if none can
 * be read, the last one.
 */
const struct runtime_build *runtime_first(const struct runtime_build *const b[N_RUNTIMES]);
