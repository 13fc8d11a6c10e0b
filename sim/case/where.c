// SPDX-License-Identifier: BSD-2-Clause

#include "where.h"

#include <stdio.h>

#include "../../inspect/util/search.h"
#include "../../inspect/util/term.h"

const struct sim_function *sim_function_at(const struct sim_case *c, u64 pc)
{
	const struct sim_function *f = c->functions;
	size_t at = search_first(c->n_functions, i, f[i].start_addr + f[i].len <= pc);

	return at < c->n_functions && f[at].start_addr <= pc ? &f[at] : NULL;
}

const struct sim_window *sim_window_at(const struct sim_case *c, u64 pc)
{
	const struct sim_window *w = c->windows;
	size_t at = search_first(c->n_windows, i, w[i].start_addr + w[i].len <= pc);

	return at < c->n_windows && w[at].start_addr <= pc ? &w[at] : NULL;
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
