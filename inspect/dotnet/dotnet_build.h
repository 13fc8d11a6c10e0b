/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One build of CoreCLR as the rest of this folder sees it. Private to inspect/dotnet. */

#include "dotnet.h"
#include "dotnet_layout.h"

struct dotnet_build {
	const struct dotnet_layout *layout; /* NULL: not supported */
	u64 dac_table_addr; /* link-time address of g_dacTable */
	u32 major, minor, patch;
	char runtime[32];
	const char *why; /* not supported, or NULL */
};
