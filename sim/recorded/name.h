/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What the frames of a walk over a case are called, as far as the files that it maps are here. */

#include "../../inspect/case/frames.h"
#include "../../inspect/target/target.h"

/**
 * sim_name_frames() - name a walk
 * @c:		whose mappings' files are looked for where they were, by build id
 * @s:		the walk; interp, callee and sp_words, too, are to be set
 * @memory:	of @c
 * @runtime:	gets the name of the runtime, 64 bytes: "" where it is not known
 * @out:	frames are appended
 *
 * Return: 0 or -ENOMEM. A frame that nothing is known of has no name.
 */
int sim_name_frames(const struct case_file *c, const struct uw_sample *s, struct target *memory,
		    char *runtime, struct case_frames *out);
