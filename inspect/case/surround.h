/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Copies memory around the bytes that were read by a walk and to name its frames. */

#include "../target/target.h"
#include "areas.h"
#include "pages.h"

/**
 * pages_surround() - copy memory around the entered bytes
 * @sp:		stack pointer, at which the copy of the stack starts
 *
 * Copies the whole of each entered page, its two neighbours, and the stack from @sp to the last
 * stack page that was read, at most 256 KiB. Omits unreadable memory. Then sets the holds member of
 * each page.
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int pages_surround(struct pages *p, const struct areas *areas, struct target *memory, u64 sp);
