/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What a process does at a sample, for the profile's by_activity. */

#include "../profile/profile.h"
#include "image.h"

/**
 * activity_of() - what was done at a sample
 * @p:		its process, NULL: not known
 * @image:	its image, NULL: none
 * @leaf:	kind of its first named frame
 * @v8:		what V8 did in the native frames before the program's (activity_of_v8())
 *
 * Of a leaf in native code the functions below the first managed frame tell whether a
 * runtime collects garbage or compiles; where there is no managed frame, the thread does.
 */
enum prof_activity activity_of(struct modules *modules, struct process *p,
			       const struct image *image, const struct uw_sample *s,
			       enum prof_kind leaf, enum prof_activity v8);
