/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The name of a CoreCLR frame. */

#include "../../core/uw_frame.h"
#include "dotnet.h"

struct dotnet_frame {
	struct dotnet_name name;
	struct dotnet_line line; /* line.file "": no line */
	const char *text; /* the frame's name, NULL: none; borrowed */
	const char *tier; /* NULL: unknown */
	bool is_stub; /* code of the runtime, not a method */
	const char *reason; /* why name or line is missing, or NULL */
};

/**
 * dotnet_frame_name() - name a frame
 * @d:		filled
 * @f:		UW_DOTNET_*
 *
 * Names the method that the walk found. If its address holds other code now, the frame keeps the
 * method's name but gets no line. Code that was missing in the walk's tables may be known now.
 */
void dotnet_frame_name(struct dotnet_frame *d, struct dotnet_runtime *rt, const struct uw_frame *f);
