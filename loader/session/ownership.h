/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "image.h"

/**
 * image_owns() - check whether a sample is of this image, and was walked with the tables of the
 * image or without tables
 * @image:	the image of the sample's process; its exec_id, and the exec id in the BPF tables,
 *		are set from the first sample in user mode
 *
 * All events before the sample must have been applied.
 */
bool image_owns(struct image *image, const struct uw_sample *sample);

/**
 * sample_disown_stale() - drop frames that were walked with stale mappings
 *
 * A new mapping is written to the BPF tables in the next tick. Until then, the code of a library
 * that replaced another one is walked with the rows of the old library. The first frame in such
 * code is kept as an address, and its callers are dropped.
 */
void sample_disown_stale(const struct process *p, struct uw_sample *sample);

/* For a sample that belongs to another image: keeps only the addresses of the frames. */
void sample_disown(struct uw_sample *sample);
