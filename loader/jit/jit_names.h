/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Names of the code that a process has compiled, whatever its runtime, from what it writes for
 * perf. Files are looked for when code without a name is met, and again after a second.
 */

#include "../../core/uw_frame.h"
#include "jit_file.h"
#include "jit_source.h"

struct jit_names;

/**
 * jit_names_new() - nothing is looked for yet
 * @used:	bytes of names of all processes, for JIT_MAX_BYTES; borrowed
 *
 * Return: NULL without memory.
 */
struct jit_names *jit_names_new(size_t *used);
void jit_names_free(struct jit_names **n);

/**
 * jit_names_poll() - learn what there is to know
 * @p:		the process
 * @s:		a sample of it: what was written by its time
 *
 * Return: whether all is known; else call it again.
 */
bool jit_names_poll(struct jit_names *n, const struct process *p, const struct uw_sample *s);

/**
 * jit_names_find() - the code at an address
 * @time_ns:	at this time
 * @c:		borrowed until the next call
 * @why:	-ENOENT: words, or NULL when the process has told nothing of any code
 *
 * Return: 0 or -ENOENT.
 */
int jit_names_find(struct jit_names *n, u64 addr, u64 time_ns, struct jit_code *c,
		   const char **why);
