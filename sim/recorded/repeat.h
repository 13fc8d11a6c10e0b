/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Is the walk of a replay the recorded one, byte for byte? */

#include "../case/case.h"
#include "../engine/engine.h"

/**
 * sim_repeat_differs() - compare frames, how it ended, and the log of reads
 * @words:	gets the first difference, in one line
 *
 * Return: 1 if anything differs; 0 if not, or @c recorded no walk; or -ENOMEM.
 */
int sim_repeat_differs(const struct sim_case *c, const struct sim_walk *walk, char *words,
		       size_t len);
