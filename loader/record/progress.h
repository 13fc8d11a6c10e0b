/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stdio.h>

#include "../../core/types.h"

struct progress {
	const char *name; /* name of the target; any bytes */
	const char *runtime; /* NULL: unknown */
	u64 elapsed_ns, samples, complete, lost;
};

/**
 * progress_print() - print a line that replaces the line printed last
 * @width:	columns of the terminal. In a narrow terminal, the runtime is omitted first, then
 *		parts of the text after the name, and last the end of the name
 */
void progress_print(FILE *out, const struct progress *p, u32 width);

/* Clears the line. */
void progress_clear(FILE *out);
