/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "image.h"

/**
 * image_owns() - was a sample taken in this image, and walked with its tables or none?
 * @image:	of the sample's process; learns its exec_id from the first sample that
 *		can tell it, and tells the kernel side
 *
 * All events up to the sample must have been applied.
 */
bool image_owns(struct image *image, const struct uw_sample *sample);

/**
 * sample_disown_stale() - give up what was walked by mappings that were others' by then
 *
 * The kernel side hears of a new mapping in the next tick. A library that took the place of
 * another was walked by that one's rows until then: such a frame is named by what was there, if
 * that is known still, and what lies behind it is left out.
 */
void sample_disown_stale(const struct process *p, struct uw_sample *sample);

/* Tokens of another image mean nothing: what is left of the sample are addresses. */
void sample_disown(struct uw_sample *sample);
