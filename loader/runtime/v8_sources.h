/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/v8/v8.h"
#include "runtime.h"

/**
 * v8_sources_map() - find the source of a frame by its script's source map
 * @rt:		the runtime of the process; source maps are stored in its build
 * @owner:	unique number of the process
 * @name:	the frame, as V8 reports it
 * @f:		the same frame, which map_frame() changes
 *
 * Files are opened as the process sees them.
 */
void v8_sources_map(struct runtime *rt, struct v8_heap *h, u64 owner, const struct v8_name *name,
		    struct prof_frame *f);
