/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "image.h"

/**
 * image_owns() - check whether a sample is of this image, and was walked with its tables or none
 * @image:	of the sample's process; its exec_id, and that of the kernel side, is set from the
 *		first sample in user mode
 *
 * All events up to the sample must have been applied.
 */
bool image_owns(struct image *image, const struct uw_sample *sample);

/**
 * sample_disown_stale() - drop frames that were walked with stale mappings
 *
 * The kernel side gets a new mapping in the next tick. Until then a library that replaced another
 * one is walked with the rows of the old one. The first such frame is kept as an address, and its
 * callers are dropped.
 */
void sample_disown_stale(const struct process *p, struct uw_sample *sample);

/* The sample is of another image: keep its addresses only. */
void sample_disown(struct uw_sample *sample);
