// SPDX-License-Identifier: BSD-2-Clause

#include "where.h"

#include "../inspect/util/term.h"

#include <stdio.h>

const struct sim_function *sim_function_at(const struct sim_case *c, u64 pc)
{
	u32 lo = 0, hi = c->n_functions;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;
		const struct sim_function *f = &c->functions[mid];

		if (pc < f->start_addr)
			hi = mid;
		else if (pc - f->start_addr >= f->len)
			lo = mid + 1;
		else
			return f;
	}
	return NULL;
}

const char *sim_window_at(const struct sim_case *c, u64 pc)
{
	for (u32 i = 0; i < c->n_windows; i++)
		if (pc - c->windows[i].start_addr < c->windows[i].len)
			return c->windows[i].what;
	return NULL;
}

const char *sim_where(const struct sim_case *c, u64 pc, char *out, size_t size)
{
	const struct sim_function *f = sim_function_at(c, pc);
	char name[81];

	if (f)
		snprintf(out, size, "%s+%#llx (%#llx)", term_escape(f->name, name, sizeof(name)),
			 pc - f->start_addr, pc);
	else
		snprintf(out, size, "%#llx", pc);
	return out;
}
