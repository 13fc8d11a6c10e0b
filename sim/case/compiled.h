/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Makes executed cases from compiled fixtures, which are static ELF programs without a C library.
 */

#include "case.h"
#include "error.h"

/**
 * sim_compiled_load() - make a case of a program
 * @path:	NAME.ARCH.elf; the case is named compiled/NAME
 * @arch:	the requested architecture
 * @out:	freed by sim_compiled_free()
 * @error:	set to the problem of the file
 *
 * The program starts at the entry point with an empty stack of 1 MiB, and ends at the symbol
 * fixture_exit. The executable segments are the process's mappings; the unwind rows come from the
 * program's call frame information.
 *
 * Return: 0, -ENOTSUP if the program is for another architecture (@error is unchanged), or a
 * negative errno with @error set.
 */
int sim_compiled_load(const char *path, const struct sim_arch *arch, struct sim_case **out,
		      struct sim_error *error);

/* Frees the case; *@c may be NULL. */
void sim_compiled_free(struct sim_case **c);
