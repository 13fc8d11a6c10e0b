/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names a CoreCLR frame. */

#include "../../core/uw_frame.h"
#include "dotnet.h"

struct dotnet_frame {
	struct dotnet_name name;
	struct dotnet_line line; /* line.file is "" if there is no line */
	const char *text; /* the frame's name, borrowed; NULL: none */
	const char *tier; /* NULL: unknown */
	bool is_stub; /* the code belongs to the runtime, not to a method */
	const char *reason; /* the reason why the name or line is missing, or NULL */
};

/**
 * dotnet_frame_name() - name a frame
 * @d:		filled
 * @f:		UW_DOTNET_*
 *
 * Names the method that the walk found. If there is other code at the frame's address now, the
 * frame keeps the method's name but gets no line. Also names frames in code that was not yet in the
 * tables during the walk.
 */
void dotnet_frame_name(struct dotnet_frame *d, struct dotnet_runtime *rt, const struct uw_frame *f);
