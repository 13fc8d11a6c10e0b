/* SPDX-License-Identifier: BSD-2-Clause */

#include <errno.h>

#include "../../inspect/unwind/starts.h"
#include "module_state.h"

int modules_symbol(struct modules *m, u32 id, u64 off_in_file, char *name, size_t len, u64 *off)
{
	struct module *mod = modules_find(m, id);
	int err;

	if (!mod)
		return -ESTALE;
	mod->used = ++m->clock;
	err = modules_load_symbols(m, id);
	return err ? err : symbols_lookup_file_off(mod->symbols, off_in_file, name, len, off);
}

/* Opens the functions of the module's file. Return: 0, -ENOENT (there are none) or an error. */
static int open_starts(struct modules *m, struct module *mod)
{
	int fd, err;

	if (mod->starts)
		return 0;
	fd = mod->has_no_starts ? -ENOENT : modules_fd(m, mod->info.id);
	err = fd < 0 ? fd : starts_open(&mod->starts, fd);
	mod->has_no_starts |= err == -ENOENT || err == -ENOEXEC;
	return err;
}

int modules_start(struct modules *m, u32 id, u64 off_in_file, struct module_start *start)
{
	struct module *mod = modules_find(m, id);
	struct module_start found = { 0 };
	int err = mod ? modules_load_symbols(m, id) : -ESTALE;
	u64 first, end;

	if (!err && symbols_off_to_addr(mod->symbols, off_in_file, &found.addr))
		err = -ENOENT;
	if (err)
		return err;
	mod->used = ++m->clock;
	if (!open_starts(m, mod) && !starts_find(mod->starts, found.addr, &first, &end))
		found.off = off_in_file - (found.addr - first);
	*start = found;
	return 0;
}
