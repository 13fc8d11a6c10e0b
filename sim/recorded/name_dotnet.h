/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The CoreCLR of a case, to name its frames. Private to sim/recorded. */

#include "../../inspect/case/case_target.h"
#include "../../inspect/case/frames.h"
#include "../../inspect/dotnet/dotnet_frame.h"

/* What it reads for a name is not recorded: a case without it replays the same. */
struct sim_dotnet {
	struct case_target memory;
	struct dotnet_build *build;
	struct dotnet_runtime *runtime; /* NULL: none, or its file is not here */
	struct dotnet_frame frame;
};

/**
 * sim_dotnet_open() - find the runtime
 * @c:		borrowed; its mappings' files are looked for where they were
 * @open:	the file of a mapping, NULL: it is not here
 *
 * Finds none where the walk had no code of one. @d ends with sim_dotnet_deinit().
 */
void sim_dotnet_open(struct sim_dotnet *d, const struct case_file *c,
		     struct elf_file *(*open)(const struct case_mapping *m));
void sim_dotnet_deinit(struct sim_dotnet *d);

/* Appends a frame, UW_DOTNET_*, named if it can be. 0 or -ENOMEM. */
int sim_dotnet_add(struct sim_dotnet *d, const struct uw_frame *f, struct case_frames *out);
