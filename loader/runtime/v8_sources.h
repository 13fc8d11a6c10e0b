/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/v8/v8.h"
#include "runtime.h"

/**
 * v8_sources_add() - add a frame whose source is found by its script's source map later
 * @rt:		the runtime of the process; its build has the struct deferred_maps
 * @owner:	unique number of the process
 * @name:	the frame, as V8 reports it
 * @f:		the same frame, which deferred_maps_add() changes
 *
 * Files are opened as the process sees them.
 */
void v8_sources_add(struct runtime *rt, struct v8_heap *h, u64 owner, const struct v8_name *name,
		    struct prof_frame *f);
