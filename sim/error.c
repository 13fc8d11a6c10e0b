// SPDX-License-Identifier: BSD-2-Clause

#include "error.h"

#include <stdarg.h>
#include <stdio.h>

int sim_fail(struct sim_error *error, int err, const char *fmt, ...)
{
	va_list ap;

	if (!error)
		return err;
	va_start(ap, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, ap);
	va_end(ap);
	return err;
}
