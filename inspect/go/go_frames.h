/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names, source lines and inlined calls of a Go program, from .gopclntab. */

#include "../symbols/lines.h"
#include "../symbols/symbols.h"
#include "go_table.h"

/**
 * go_frames() - find the function at an address and the calls inlined there
 * @addr:	link-time address; for a return address, subtract one
 * @fn:		called for each function, innermost first; the last function is not inlined
 *
 * Return: the last result of @fn, or 0, -ENOENT (the table does not cover the address), -E2BIG
 * (deeper than LINES_MAX_DEPTH), -ENOEXEC or the errno of reading. @fn may have been called before
 * an error.
 */
int go_frames(const struct go_table *t, u64 addr, lines_fn *fn, void *data);

/*
 * A symbols_table_fn that reports all functions of a Go program except broken ones, and no function
 * of any other program.
 */
int go_symbols(struct elf_file *f, symbols_named_fn *fn, void *data);
