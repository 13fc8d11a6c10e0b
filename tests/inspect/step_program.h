/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions that run, as the program itself reports them (fixtures/node/steps.js): the program
 * keeps a stack of numbers in memory, and prints the name of the function for each number.
 *
 * A function reports some instructions after it was called, and reports its end some instructions
 * before it returns. So a walk may have one function more than is reported. If this function has
 * reported its end, it must be the function that was last reported at this depth. If this function
 * has just begun, it is pending until the next report, which must be the report of this function.
 */

#include <stdio.h>

#include "../../inspect/target/target.h"

#define PROGRAM_MAX_NAMES 64
#define PROGRAM_MAX_DEPTH 127

struct step_program {
	char *functions_line, *callers_line;
	const char *functions[PROGRAM_MAX_NAMES]; /* names by number - 1 */
	u32 n_functions;
	const char *callers[PROGRAM_MAX_NAMES]; /* a function, then its callers outwards */
	u32 n_callers;
	u64 addr; /* address of the stack's depth, which the numbers follow */
	u32 words[1 + PROGRAM_MAX_DEPTH]; /* depth and numbers, as last read */
	u32 end_depth; /* 1 + depth of a function that runs after reporting its end; 0: none */
	u32 end_n; /* if there are fewer callers, that function has returned */
	u32 least_n[1 + PROGRAM_MAX_DEPTH]; /* per depth: lowest number of callers so far */
	char pending[64]; /* name of a function that has not reported yet */
	u32 pending_depth;
};

enum program_event { PROGRAM_NOTHING, PROGRAM_WAS_RIGHT, PROGRAM_WAS_WRONG };

/**
 * step_program_init() - read the names, and find the stack
 * @out:	the program's standard output: names of functions, then a function and its callers
 * @maps:	text of the program's /proc/PID/maps
 *
 * Return: 0, -ENOENT (the program reports nothing) or another negative errno.
 */
int step_program_init(struct step_program *p, FILE *out, struct target *t, const char *maps);
void step_program_deinit(struct step_program *p);

/*
 * Reads the program's stack again, and decides on the pending name. @n_callers: number of return
 * addresses on the true stack, without those of calls in a function's entry or exit code.
 */
int step_program_read(struct step_program *p, struct target *t, u32 n_callers,
		      enum program_event *event);

/**
 * step_program_agrees() - are the given names those of the running functions?
 * @names:	innermost first
 * @from_depth:	number of functions reported when native code called the outermost of @names;
 *		0: @names may include the printed callers, too
 * @is_pending:	set if the result is right only if names[0] is reported next
 */
bool step_program_agrees(const struct step_program *p, const char *const *names, u32 n,
			 u32 from_depth, bool *is_pending);

/* Are the given names those of the outermost running functions? Inner functions may be missing. */
bool step_program_has_outermost(const struct step_program *p, const char *const *names, u32 n,
				u32 from_depth);
