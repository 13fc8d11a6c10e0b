/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Known misses: a list beside a case, CASE.misses, which --update writes. A sweep of a case with
 * a list fails if any miss is not in it. The list does not change how exact boundaries are counted
 * and printed. A line is
 *
 *	ARCH PLACE COUNT caller|other INSTRUCTION
 *	arm64 main+0x4 12 caller stp x29, x30, [sp, #-0x10]!
 *
 * PLACE is FUNCTION+0xOFFSET, or an address if that is ambiguous. At most COUNT boundaries are
 * missed there; with "caller" each of them loses exactly the direct caller. The rest of the line
 * is for readers, and so are lines that begin with #.
 */

#include "judge.h"

struct known;

/**
 * known_load() - read the list of a case
 * @path:	path of the case; both case and list are hostile
 * @out:	NULL if the case has none; freed by known_free()
 * @error:	set to "FILE:LINE: what is wrong"
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
 * Return: number of places that are not in the list, or missed more often or in another way.
 */
u32 known_apply(struct known *k, const struct sim_case *c, struct sweep_result *r);

/**
 * known_gone() - iterate over an architecture's entries of the list that were not missed
 * @at:		initially 0
 *
 * After known_apply() of a sweep that walked at each boundary, these entries are obsolete.
 *
 * Return: the next PLACE, or NULL.
 */
const char *known_gone(const struct known *k, const struct sim_arch *arch, u32 *at);

/**
 * known_update() - write the misses of @r as the list, for the architecture of @c
 * @k:		the current list, NULL: none; lines for other architectures are kept
 *
 * A list without lines is removed.
 *
 * Return: 0 or a negative errno: the file is unchanged.
 */
int known_update(const struct known *k, const char *path, const struct sim_case *c,
		 const struct sweep_result *r, struct sim_error *error);
