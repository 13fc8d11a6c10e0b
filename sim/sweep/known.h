/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Known misses are in a list beside a case, CASE.misses, which --update writes. If a case has a
 * list, a sweep of the case fails if there is a miss that is not in the list. The list does not
 * affect how exact boundaries are counted and printed. A line is
 *
 *	ARCH PLACE COUNT caller|other INSTRUCTION
 *	arm64 main+0x4 12 caller stp x29, x30, [sp, #-0x10]!
 *
 * PLACE is FUNCTION+0xOFFSET, or an address if FUNCTION is ambiguous. At most COUNT boundaries may
 * be missed at PLACE; with "caller", each of them may lose only the direct caller. INSTRUCTION is
 * ignored, and so are lines that begin with #.
 */

#include "judge.h"

struct known;

/**
 * known_load() - read the list of a case
 * @path:	path of the case; the contents of the case and the list are hostile
 * @out:	the list, freed by known_free(); NULL if the case has no list
 * @error:	set to "FILE:LINE: problem"
 *
 * Return: 0 or a negative errno.
 */
int known_load(const char *path, struct known **out, struct sim_error *error);

/* NULL is fine. */
void known_free(struct known **k);

/**
 * known_apply() - mark the misses that are in the list
 * @r:		result of a sweep of @c
 *
 * Return: number of missed places that are not in the list, or are missed more often or in another
 *         way than listed.
 */
u32 known_apply(struct known *k, const struct sim_case *c, struct sweep_result *r);

/**
 * known_gone() - iterate over the entries of an architecture whose places were not missed
 * @at:		initially 0
 *
 * An entry that was not missed is obsolete if known_apply() was called for a sweep that walked at
 * each boundary.
 *
 * Return: the next PLACE, or NULL.
 */
const char *known_gone(const struct known *k, const struct sim_arch *arch, u32 *at);

/**
 * known_update() - write the misses of @r as the list, for the architecture of @c
 * @k:		the current list, whose lines for other architectures are kept; NULL: none
 *
 * If the list has no lines, its file is removed.
 *
 * Return: 0, or a negative errno, in which case the file is unchanged.
 */
int known_update(const struct known *k, const char *path, const struct sim_case *c,
		 const struct sweep_result *r, struct sim_error *error);
