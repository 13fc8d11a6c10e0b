/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Selects the stop of a case that will be explained. */

#include "../cpu/cpu.h"

enum pick_kind {
	PICK_WRONG, /* a stop at which the walk is wrong; if there is no such stop, the stop with
		     * the most frames */
	PICK_INSN, /* the n-th executed instruction */
	PICK_PC,
	PICK_FUNCTION, /* NAME+OFF */
};

struct pick {
	enum pick_kind kind;
	u64 value; /* n, pc or OFF */
	char name[128];
	u32 nth; /* select the n-th such stop, from 1; unused for PICK_INSN */
};

/**
 * pick_parse() - parse "12", "0x400010" or "NAME+OFF"
 *
 * Return: 0, -EINVAL.
 */
int pick_parse(const char *text, struct pick *out);

/**
 * pick_check() - check whether the case can have such a stop
 * @error:	set to the reason if it can't
 *
 * Return: 0, or -EINVAL with @error set.
 */
int pick_check(const struct pick *pick, const struct sim_case *c, struct sim_error *error);

/**
 * pick_stop() - execute a case up to the stop
 * @c:		executed case, which can't be executed again
 * @pick:	PICK_WRONG may change to PICK_INSN if there is no such stop; then load the case
 *		again and repeat the call
 * @why:	set to a description of the stop
 * @explain:	called at the stop, before the case continues and changes the memory; pick_stop()
 *		returns the result of this call
 *
 * Return: 0; -EAGAIN if @pick has changed; -ENOENT with @error set if the stop is never
 * reached; other negative errnos as for sim_cpu_run().
 */
int pick_stop(const struct sim_case *c, struct pick *pick, char *why, size_t why_size,
	      int (*explain)(void *ctx, const struct sim_stop *stop), void *ctx,
	      struct sim_error *error);
