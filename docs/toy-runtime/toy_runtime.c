// SPDX-License-Identifier: BSD-2-Clause

/* The callbacks of Toy for the recorder. In the product: loader/runtime/toy.c. */

#include "toy_runtime.h"

#include <errno.h>
#include <stdlib.h>

#include "toy.h"
#include "toy_table.h"

struct toy_process {
	struct runtime rt;
	struct toy_function function;
};

static int detect(struct runtime_build *b, struct elf_file *elf)
{
	u64 *table_addr = malloc(sizeof(*table_addr));
	int err = table_addr ? toy_table_find(elf, table_addr) : -ENOMEM;

	if (err) {
		free(table_addr);
		return err;
	}
	b->of = table_addr;
	b->name = "Toy";
	return 0;
}

static void free_build(struct runtime_build *b)
{
	free(b->of);
}

static int claim(struct runtime *rt, const struct runtime_mapping *m, struct map_list *l)
{
	struct uw_mapping toy = m->map;

	(void)rt;
	if (!m->is_anon)
		return 0;
	toy.kind = UW_MAP_TOY;
	return map_list_push(l, &toy) ? -ENOMEM : 1;
}

static int name(struct runtime *rt, const struct uw_sample *s, u32 i, runtime_frame_fn *fn,
		void *data)
{
	struct toy_process *p = (struct toy_process *)rt;
	const struct uw_frame *f = &s->frames[i];
	u64 table_addr = *(const u64 *)rt->build->of + rt->home.bias;
	struct prof_frame out = runtime_unnamed(&toy_runtime, f, "not in the table of functions");
	int err = rt->memory ? toy_function_at(rt->memory, table_addr, uw_frame_lookup_pc(f),
					       &p->function)
			     : -ESRCH;

	if (err == -ESRCH)
		return RUNTIME_GONE;
	if (!err) {
		out.name = p->function.name;
		out.has_off = false;
		out.reason = NULL;
	}
	return fn(&out, data);
}

const struct runtime_ops toy_runtime = {
	.functions = 1u << UW_TOY,
	.kind = PROF_JIT,
	.len = sizeof(struct toy_process),
	.needs_bias = true,
	.detect = detect,
	.free_build = free_build,
	.claim = claim,
	.name = name,
};
