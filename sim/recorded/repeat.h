/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Compares the repeated walk with the recorded walk, byte for byte. */

#include "../case/case.h"
#include "../engine/engine.h"

/**
 * sim_repeat_differs() - compare the frames, the status and the log of reads
 * @words:	set to one line about the first difference
 *
 * Return: 1 if anything differs; 0 if nothing differs, or if @c has no recorded walk; or -ENOMEM.
 */
int sim_repeat_differs(const struct sim_case *c, const struct sim_walk *walk, char *words,
		       size_t len);
