/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Names of code that a JIT of any runtime has compiled, read from the files that JITs write
 * for perf. When a sample contains code without a name, these files are searched for, but at
 * most once a second.
 */

#include "../../core/uw_frame.h"
#include "jit_file.h"
#include "jit_source.h"

struct jit_names;

/**
 * jit_names_new() - create an object without searching for files yet
 * @used:	total bytes of names of all processes, limited to JIT_MAX_BYTES; borrowed
 *
 * Return: NULL if out of memory.
 */
struct jit_names *jit_names_new(size_t *used);
void jit_names_free(struct jit_names **n);

/**
 * jit_names_poll() - read new names
 * @p:		the process
 * @s:		a sample of the process; reads the names that were written up to its time
 *
 * Return: true if all names were read; if false, call it again.
 */
bool jit_names_poll(struct jit_names *n, const struct process *p, const struct uw_sample *s);

/**
 * jit_names_find() - find the code at an address
 * @time_ns:	time at which the code was executed
 * @c:		borrowed until the next call
 * @why:	set if the code has no name: the reason; NULL if the process writes no such file
 *
 * Code that the JIT recorded without a name is found only if no other file names this address.
 *
 * Return: 0, also if @c has no name, or -ENOENT.
 */
int jit_names_find(struct jit_names *n, u64 addr, u64 time_ns, struct jit_code *c,
		   const char **why);
