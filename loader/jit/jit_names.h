/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Names of code that a process of any runtime has compiled, from the files it writes for perf.
 * These files are searched for when a sample contains unnamed code, and again after a second.
 */

#include "../../core/uw_frame.h"
#include "jit_file.h"
#include "jit_source.h"

struct jit_names;

/**
 * jit_names_new() - create an object without searching for files yet
 * @used:	bytes of names of all processes, limited to JIT_MAX_BYTES; borrowed
 *
 * Return: NULL if out of memory.
 */
struct jit_names *jit_names_new(size_t *used);
void jit_names_free(struct jit_names **n);

/**
 * jit_names_poll() - read new names
 * @p:		the process
 * @s:		a sample of the process; names written up to its time are read
 *
 * Return: whether all names were read; if not, call it again.
 */
bool jit_names_poll(struct jit_names *n, const struct process *p, const struct uw_sample *s);

/**
 * jit_names_find() - find the code at an address
 * @time_ns:	time at which the code was executed
 * @c:		borrowed until the next call
 * @why:	with -ENOENT, the reason; NULL if the process has recorded no code
 *
 * Return: 0 or -ENOENT.
 */
int jit_names_find(struct jit_names *n, u64 addr, u64 time_ns, struct jit_code *c,
		   const char **why);
