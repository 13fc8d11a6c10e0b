/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions that run, as the program itself reports them
 * (fixtures/node/steps.js): the program keeps a stack of numbers in memory and prints
 * the names of the functions they represent.
 *
 * A function is called before it reports that, and reports its end before it returns.
 * So a walk may have one function more than is reported. At its end, that function
 * must be the one that was last reported at this depth. At its beginning it is
 * pending until the next report, which must be that of this function.
 */

#include <stdio.h>

#include "../../inspect/target/target.h"

#define PROGRAM_MAX_NAMES 64
#define PROGRAM_MAX_DEPTH 127

struct step_program {
	char *functions_line, *callers_line;
	const char *functions[PROGRAM_MAX_NAMES]; /* names by number - 1 */
	u32 n_functions;
	const char *callers[PROGRAM_MAX_NAMES]; /* a function, and its callers, innermost first */
	u32 n_callers;
	u64 addr; /* address of the stack's depth; the numbers follow */
	u32 words[1 + PROGRAM_MAX_DEPTH]; /* depth and numbers, as last read */
	u32 end_depth; /* + 1: the function there has reported its end and has not returned; or 0 */
	u32 end_n; /* the function has returned when there are fewer callers than this */
	u32 least_n[1 + PROGRAM_MAX_DEPTH]; /* by depth: lowest number of callers while the function
					       ran */
	char pending[64]; /* the name of a function that has reported nothing yet */
	u32 pending_depth;
};

enum program_event { PROGRAM_NOTHING, PROGRAM_WAS_RIGHT, PROGRAM_WAS_WRONG };

/**
 * step_program_init() - read the names, and find the stack
 * @out:	the program's standard output: names of functions; then one function and its callers
 * @maps:	text of its /proc/PID/maps
 *
 * Return: 0, -ENOENT (the program reports nothing) or another negative errno.
 */
int step_program_init(struct step_program *p, FILE *out, struct target *t, const char *maps);
void step_program_deinit(struct step_program *p);

/*
 * Reads the stack again, and settles the pending name. @n_callers: return addresses on the true
 * stack, without those of a function's own machinery.
 */
int step_program_read(struct step_program *p, struct target *t, u32 n_callers,
		      enum program_event *event);

/**
 * step_program_agrees() - are these the functions that run?
 * @names:	innermost first
 * @from_depth:	number of functions that were reported when native code called the first of these;
 *		0: the callers that were printed may belong to them, too
 * @is_pending:	set if the answer depends on names[0] being reported next
 */
bool step_program_agrees(const struct step_program *p, const char *const *names, u32 n,
			 u32 from_depth, bool *is_pending);

/* Are these the outermost functions? Functions inside them may be missing. */
bool step_program_has_outermost(const struct step_program *p, const char *const *names, u32 n,
				u32 from_depth);
