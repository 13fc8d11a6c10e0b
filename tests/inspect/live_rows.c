/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>

#include "../../inspect/v8/v8_rows.h"
#include "live_rows.h"

#define MAX_RULES 4096

static void enter(const struct uw_rule *rule, u64 start, u64 end, void *data)
{
	struct live_rows *l = data;
	u16 n = (u16)rules_add(&l->rules, rule);

	for (u64 at = start; at < end; at++)
		if (at - l->blob_addr < l->blob_len)
			l->of[at - l->blob_addr] = n;
}

int live_rows_init(struct live_rows *l, const struct v8_build *b, struct elf_file *f)
{
	const struct v8_facts facts = v8_build_facts(b);
	int r = facts.blob_len ? 0 : -ENOENT;

	*l = (struct live_rows){ .blob_off = facts.blob_off, .blob_len = facts.blob_len };
	if (!r)
		r = elf_file_off_to_addr(f, l->blob_off, &l->blob_addr);
	if (r < 0)
		return r;
	l->of = calloc(l->blob_len, sizeof(*l->of));
	l->table = calloc(MAX_RULES, sizeof(*l->table));
	if (!l->of || !l->table || rules_init(&l->rules, l->table, MAX_RULES))
		return -ENOMEM;
	return v8_build_rows(b, f, l->blob_addr, l->blob_addr + l->blob_len, enter, l);
}

void live_rows_deinit(struct live_rows *l)
{
	rules_deinit(&l->rules);
	free(l->table);
	free(l->of);
	*l = (struct live_rows){};
}

const struct uw_rule *live_rows_at(const struct live_rows *l, u64 file_off)
{
	u64 at = file_off - l->blob_off;

	return at < l->blob_len ? &l->table[l->of[at]] : NULL;
}
