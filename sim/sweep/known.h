/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Known misses: a list beside a case, CASE.misses, which --update writes. A sweep of
 * a case that has one fails by misses that are not in it, however few; what is
 * exact is counted and shown as ever. A line is
 *
 *	ARCH PLACE COUNT caller|other INSTRUCTION
 *	arm64 main+0x4 12 caller stp x29, x30, [sp, #-0x10]!
 *
 * PLACE is FUNCTION+0xOFFSET, or an address where that is not clear. At most COUNT
 * boundaries are missed there; with "caller" each of them loses exactly the direct
 * caller. The rest of the line is for people, and so are lines that begin with #.
 */

#include "judge.h"

struct known;

/**
 * known_load() - read the list of a case
 * @path:	the case's; hostile, as the list is
 * @out:	NULL when the case has none; ends with known_free()
 * @error:	"FILE:LINE: what is wrong"
 *
 * Return: 0 or a negative errno.
 */
int known_load(const char *path, struct known **out, struct sim_error *error);

/* NULL is fine. */
void known_free(struct known **k);

/**
 * known_apply() - mark the misses that are listed
 * @r:		of @c
 *
 * Return: how many places are missed that are not listed, or more often, or in another way.
 */
u32 known_apply(struct known *k, const struct sim_case *c, struct sweep_result *r);

/**
 * known_gone() - go through what is listed for an architecture and was not met
 * @at:		0 at first
 *
 * After known_apply() of a sweep that walked at each boundary these are no misses any more.
 *
 * Return: the next PLACE, or NULL.
 */
const char *known_gone(const struct known *k, const struct sim_arch *arch, u32 *at);

/**
 * known_update() - write the list: what is missed by @r, for the architecture of @c
 * @k:		the list so far, NULL: none; its lines for other architectures are kept
 *
 * A list without lines is removed.
 *
 * Return: 0 or a negative errno: the file is as it was.
 */
int known_update(const struct known *k, const char *path, const struct sim_case *c,
		 const struct sweep_result *r, struct sim_error *error);
