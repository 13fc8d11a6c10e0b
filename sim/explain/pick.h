/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Which stop of a case is to be explained. */

#include "../cpu/cpu.h"

enum pick_kind {
	PICK_WRONG, /* a stop where the walk misses the truth, else the deepest one */
	PICK_INSN, /* the n-th instruction that is executed */
	PICK_PC,
	PICK_FUNCTION, /* NAME+OFF */
};

struct pick {
	enum pick_kind kind;
	u64 value; /* n, pc or OFF */
	char name[128];
	u32 nth; /* the n-th such stop, from 1; not of PICK_INSN */
};

/**
 * pick_parse() - from "12", "0x400010" or "NAME+OFF"
 *
 * Return: 0, -EINVAL.
 */
int pick_parse(const char *text, struct pick *out);

/**
 * pick_check() - can the case have such a stop?
 * @error:	why not
 *
 * Return: 0, or -EINVAL with @error set.
 */
int pick_check(const struct pick *pick, const struct sim_case *c, struct sim_error *error);

/**
 * pick_stop() - execute a case until the stop is there
 * @c:		executed case; used up
 * @pick:	PICK_WRONG may become PICK_INSN: there is no such stop, the case is to be loaded
 *		anew and this one to be picked
 * @why:	words for people: what stop this is
 * @tell:	called at the stop, while memory is as it is there; its error is the result
 *
 * Return: 0; -EAGAIN when @pick has changed; -ENOENT with @error set when the stop is never
 * reached; other negative errnos as of sim_cpu_run().
 */
int pick_stop(const struct sim_case *c, struct pick *pick, char *why, size_t why_size,
	      int (*tell)(void *ctx, const struct sim_stop *stop), void *ctx,
	      struct sim_error *error);
