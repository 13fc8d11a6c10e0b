/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A text of limited length, built piece by piece. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../core/types.h"

struct text {
	char *bytes; /* always NUL-terminated */
	size_t room, len;
	bool is_cut;
};

static inline void text_init(struct text *t, char *bytes, size_t room)
{
	*t = (struct text){ bytes, room };
	bytes[0] = 0;
}

static inline __attribute__((format(printf, 2, 3))) void text_add(struct text *t,
								  const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->bytes + t->len, t->room - t->len, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= t->room - t->len) {
		t->is_cut = true;
		t->len = strlen(t->bytes);
	} else {
		t->len += (size_t)n;
	}
}
