/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Limits the CPU time for reading a module's file. If a file is refused, later files get less time,
 * because a process that maps one such file can map many.
 */

#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "module_state.h"

#define READ_NS 400000000ull /* CPU time for reading a file; Node.js 24 takes 60 ms */

void modules_begin_reading(const struct modules *m, struct budget *b)
{
	budget_begin(b, READ_NS >> (m->n_refused < 3 ? m->n_refused : 3));
}

void modules_end_reading(struct modules *m, u32 id, struct budget *b)
{
	struct module *mod = modules_find(m, id);

	budget_end(b);
	if (!b->is_spent || !mod || mod->has_no_symbols)
		return;
	m->n_refused++;
	mod->has_no_symbols = true;
	mod->is_refused = true;
	cleanup_close(&mod->fd);
	mod->fd = -1;
	if (!mod->why)
		mod->why = strdup("reading the file takes too long");
}
