/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds the functions that two profiles have in common.
 *
 * Functions match by name and file (or module, or kind), and functions without a name by the offset
 * at which they start, in the same build of their module. A native function whose file only one of
 * the recordings found matches by name and module. Their lines need not match, because a
 * line that is inserted above a function moves this function. If several functions of a file have
 * the same name, as anonymous functions do, they match by the function that encloses them and by
 * their order in it:
 *
 *	before                     after
 *	                           1  'use strict';
 *	1  function load() {       2  function load() {
 *	3    .then(() => ...)      4    .then(() => ...)      the first one in load()
 *	5    .then(() => ...)      6    .then(() => ...)      the second one in load()
 *
 * A profile knows where functions start, not where they end. Therefore the enclosing function is
 * the last function that starts above, has a name of its own, and is in both profiles. A
 * function without samples is not in a profile; if one profile has fewer functions with a
 * name than the other, those match whose distances from the enclosing function fit best.
 */

#include "../query/functions.h"

#define MATCH_NONE (~0u)

/* Indices of a function in each profile; one of them may be MATCH_NONE. */
struct match_pair {
	u32 before, after;
};

/**
 * match_functions() - match the functions of two profiles
 * @before, @after: the functions of each profile
 * @pairs:	set to an array in which each function is in one pair; free it with free()
 * @n:		set to the number of pairs
 *
 * Return: 0, or -ENOMEM.
 */
int match_functions(const struct function *const *before, u32 n_before,
		    const struct function *const *after, u32 n_after, struct match_pair **pairs,
		    u32 *n);
