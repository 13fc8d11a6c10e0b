/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

struct progress {
	const char *name; /* name of the target; any bytes */
	const char *runtime; /* NULL: unknown */
	u64 elapsed_ns, samples, complete, lost;
};

/* Replaces the line that was printed on stderr last. */
void progress_print(const struct progress *p);

/* Clears the line. */
void progress_clear(void);
