/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Converts folded stacks, as loader/out/folded.c and other profilers write them, to lines of a
 * profile.
 *
 *	[process;][[truncated: reason];]label;label;label 12
 *
 * In a label "name (file:line:column)", line and column are the start of the function. The
 * suffix of the file gives the kind of a frame; without a known suffix, the kind is unknown.
 * The name of a process becomes a frame.
 */

#include <sys/types.h>

#include "../../core/types.h"

struct folded_lines;

int folded_lines_new(struct folded_lines **f);
void folded_lines_free(struct folded_lines **f);

/* Does the line end with a space and a number? */
bool folded_is_line(const char *line, size_t len);

/**
 * folded_lines_take() - convert one folded stack
 *
 * The lines of the first stack begin with a header. Call folded_lines_next() until it returns
 * 0.
 *
 * Return: 0, -EBADMSG (not a folded stack, or too many frames), -ENOSPC or -ENOMEM.
 */
int folded_lines_take(struct folded_lines *f, const char *line, size_t len);

/* Sets the next line without its newline, valid until folded_lines_take(). */
int folded_lines_next(struct folded_lines *f, const char **line, size_t *len);
