// SPDX-License-Identifier: BSD-2-Clause

#include "error.h"

#include "../../inspect/util/term.h"

#include <stdarg.h>
#include <stdio.h>

int sim_fail(struct sim_error *error, int err, const char *fmt, ...)
{
	char text[SIM_ERROR_LEN];
	va_list ap;

	if (!error)
		return err;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	term_escape(text, error->text, sizeof(error->text));
	return err;
}
