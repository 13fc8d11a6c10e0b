/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* What lies round that which a walk and its naming read. */

#include "../target/target.h"
#include "areas.h"
#include "pages.h"

/**
 * pages_surround() - copy what belongs to the pages that a case has already
 * @sp:		where the stack starts
 *
 * Each page whole, its two neighbours, and the stack from @sp to the last page of it
 * that was read, at most 256 KiB. What can't be read is left out. Then each page is
 * told what it holds.
 *
 * Return: 0, -E2BIG, -ENOMEM.
 */
int pages_surround(struct pages *p, const struct areas *areas, struct target *memory, u64 sp);
