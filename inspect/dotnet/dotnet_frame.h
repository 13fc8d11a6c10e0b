/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a frame of CoreCLR is called. */

#include "../../core/uw_frame.h"
#include "dotnet.h"

struct dotnet_frame {
	struct dotnet_name name;
	struct dotnet_line line; /* file "": none */
	const char *text; /* of the frame, NULL: it has none, borrowed */
	const char *tier; /* NULL: not known */
	bool is_stub; /* no method */
	const char *reason; /* why name or line is missing, or NULL */
};

/**
 * dotnet_frame_name() - name a frame
 * @d:		filled
 * @f:		UW_DOTNET_*
 *
 * A method is the one that the walk found; if other code is at its address by now, it still has
 * its name and no line. Memory with code that the tables had nothing of when it was walked may be
 * known by now.
 */
void dotnet_frame_name(struct dotnet_frame *d, struct dotnet_runtime *rt, const struct uw_frame *f);
