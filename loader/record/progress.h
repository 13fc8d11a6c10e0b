/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/types.h"

struct progress {
	const char *name; /* of the target; any bytes */
	const char *runtime; /* NULL: none */
	u64 elapsed_ns, samples, complete, lost;
};

/* One line on stderr, over the last one. */
void progress_print(const struct progress *p);

/* Takes the line away. */
void progress_clear(void);
