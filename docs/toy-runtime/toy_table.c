// SPDX-License-Identifier: BSD-2-Clause

#include "toy_table.h"

#include <errno.h>
#include <string.h>

static int take_table(const struct elf_symbol *s, void *data)
{
	u64 *addr = data;

	if (strcmp(s->name, "toy_functions") != 0)
		return 0;
	*addr = s->addr;
	return 1;
}

int toy_table_find(struct elf_file *elf, u64 *addr)
{
	int r = elf_file_each_symbol(elf, take_table, addr);

	return r == 1 ? 0 : r ? r : -ENOENT;
}

int toy_function_at(struct target *t, u64 table_addr, u64 pc, struct toy_function *f)
{
	struct {
		u64 start_addr, end_addr;
		char name[TOY_NAME_LEN];
	} entry;
	u64 n;
	int err = target_read(t, table_addr, &n, sizeof(n));

	if (err)
		return err;
	if (n > TOY_MAX_FUNCTIONS)
		return -EINVAL;
	for (u64 i = 0; i < n; i++) {
		err = target_read(t, table_addr + sizeof(n) + i * sizeof(entry), &entry,
				  sizeof(entry));
		if (err)
			return err;
		if (pc < entry.start_addr || pc >= entry.end_addr)
			continue;
		*f = (struct toy_function){ entry.start_addr, entry.end_addr, "" };
		memcpy(f->name, entry.name, TOY_NAME_LEN);
		return 0;
	}
	return -ENOENT;
}
