/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Folded stacks as lines of a profile: what loader/out/folded.c and other profilers write.
 *
 *	[process;][[truncated: reason];]label;label;label 12
 *
 * A label "name (file:line:column)" has the function's start. Kinds are told from the
 * file's suffix, else unknown; a process's name is taken for a frame.
 */

#include <sys/types.h>

#include "../../core/types.h"

struct folded_lines;

int folded_lines_new(struct folded_lines **f);
void folded_lines_free(struct folded_lines **f);

/* Does a line end with a space and a number? */
bool folded_is_line(const char *line, size_t len);

/**
 * folded_lines_take() - make lines of a profile of a stack
 *
 * Of the first one there is a header, too. Call folded_lines_next() until it returns 0.
 *
 * Return: 0, -EBADMSG (no folded stack, or one of too many frames), -ENOSPC or -ENOMEM.
 */
int folded_lines_take(struct folded_lines *f, const char *line, size_t len);

/* The next of them without its end, valid until folded_lines_take(). 1, or 0 at the end. */
int folded_lines_next(struct folded_lines *f, const char **line, size_t *len);
