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

/* Tokens of another image mean nothing: what is left of the sample are addresses. */
void sample_disown(struct uw_sample *sample);
