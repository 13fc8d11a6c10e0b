/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* One build of CoreCLR. Private to inspect/dotnet. */

#include "dotnet.h"
#include "dotnet_layout.h"

#define DOTNET_MAX_GC 2

struct dotnet_build {
	const struct dotnet_layout *layout; /* NULL: not supported */
	u64 dac_table_addr; /* link-time address of g_dacTable */
	u32 major, minor, patch;
	char runtime[32];
	struct dotnet_gc {
		u64 start_off, end_off; /* file offsets */
	} gc[DOTNET_MAX_GC]; /* the functions that collect garbage */
	u32 n_gc;
	const char *why; /* the reason why the build is unsupported, or NULL */
};
