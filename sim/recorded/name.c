// SPDX-License-Identifier: BSD-2-Clause

#include "name.h"

#include "../../inspect/go/go_frames.h"
#include "../../inspect/symbols/symbols.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8.h"
#include "../case/stack.h"
#include "name_dotnet.h"

#include <errno.h>
#include <string.h>

#define MAX_TABLES 32
#define RUNTIME_LEN 64

struct naming {
	const struct case_file *c;
	struct case_frames *out;
	struct v8_build *build; /* NULL: no V8, or not here */
	struct v8_heap *heap;
	struct sim_dotnet dotnet;
	struct {
		u32 module;
		struct symbols *symbols; /* NULL: none */
	} tables[MAX_TABLES];
	u32 n_tables;
	struct v8_name names[V8_MAX_NAMES];
};

static void naming_deinit(struct naming *n)
{
	v8_heap_free(&n->heap);
	v8_build_free(&n->build);
	sim_dotnet_deinit(&n->dotnet);
	for (u32 i = 0; i < n->n_tables; i++)
		symbols_free(&n->tables[i].symbols);
}

/* A mapping's file, if it is still the one that was mapped. */
static struct elf_file *open_file(const struct case_mapping *m)
{
	struct elf_file *elf = NULL;

	if (!m->path || !m->build_id || elf_file_open(&elf, m->path))
		return NULL;
	if (!elf_file_build_id(elf) || strcmp(elf_file_build_id(elf), m->build_id) != 0)
		elf_file_free(&elf);
	return elf;
}

static const struct case_mapping *mapping_of(const struct case_file *c, u32 module)
{
	for (u32 i = 0; i < c->n_mappings; i++)
		if (c->mappings[i].map.module == module)
			return &c->mappings[i];
	return NULL;
}

static const struct symbols *symbols_of(struct naming *n, u32 module, const struct case_mapping *m)
{
	struct elf_file *elf;
	u32 i = 0;

	while (i < n->n_tables && n->tables[i].module != module)
		i++;
	if (i < n->n_tables || i == MAX_TABLES)
		return i < n->n_tables ? n->tables[i].symbols : NULL;
	elf = open_file(m);
	n->tables[n->n_tables++].module = module;
	if (elf && symbols_new(&n->tables[i].symbols, elf, go_symbols))
		n->tables[i].symbols = NULL;
	elf_file_free(&elf);
	return n->tables[i].symbols;
}

static int add_native(struct naming *n, const struct uw_frame *f)
{
	const struct case_mapping *m = f->aux ? mapping_of(n->c, f->aux) : NULL;
	const struct symbols *symbols = m ? symbols_of(n, f->aux, m) : NULL;
	u64 lookup = f->a - (f->pc - uw_frame_lookup_pc(f)), off;
	char name[SYMBOLS_NAME_LEN];
	struct case_frame out = { .pc = f->pc,
				  .kind = "native",
				  .module = m ? m->path : NULL,
				  .build_id = m ? m->build_id : NULL,
				  .guess = f->flags & UW_FRAME_GUESS,
				  .off = m ? f->a : f->pc,
				  .reason = f->status ? sim_status_words(f->status) : NULL };

	if (symbols && !symbols_lookup_file_off(symbols, lookup, name, sizeof(name), &off)) {
		out.name = name;
		out.off = 0;
	}
	return case_frames_add(n->out, &out);
}

static int add_v8_name(struct naming *n, const struct v8_name *name, const struct uw_frame *f)
{
	static const char *const kinds[] = { [V8_NAME_JS] = "js",
					     [V8_NAME_BUILTIN] = "builtin",
					     [V8_NAME_STUB] = "stub",
					     [V8_NAME_REGEXP] = "regexp",
					     [V8_NAME_WASM] = "wasm" };

	return case_frames_add(n->out, &(struct case_frame){ .pc = f->pc,
							     .kind = kinds[name->kind],
							     .name = name->name,
							     .file = name->file,
							     .line = name->line,
							     .column = name->column,
							     .tier = v8_tier_name(name->tier),
							     .inlined = name->inlined,
							     .async = f->flags & UW_FRAME_ASYNC,
							     .guess = f->flags & UW_FRAME_GUESS,
							     .off = name->name ? 0 : f->pc,
							     .reason = name->reason });
}

static int add_v8(struct naming *n, const struct uw_sample *s, u32 i)
{
	static const struct v8_name unknown = { .kind = V8_NAME_JS,
						.reason = "the runtime's file is not here" };
	int n_names = n->heap ? v8_heap_name(n->heap, s, i, n->names) : 0, err = 0;

	if (n_names <= 0)
		return add_v8_name(n, &unknown, &s->frames[i]);
	for (int k = 0; k < n_names && !err; k++)
		err = add_v8_name(n, &n->names[k], &s->frames[i]);
	return err;
}

static int open_heap(struct naming *n, struct target *memory)
{
	_cleanup_free_ struct v8_region *regions = calloc(n->c->n_mappings + 1, sizeof(*regions));
	struct elf_file *elf = NULL;
	u32 n_regions = 0;

	if (!regions)
		return -ENOMEM;
	for (u32 i = 0; i < n->c->n_mappings; i++) {
		const struct uw_mapping *m = &n->c->mappings[i].map;

		if (m->kind == UW_MAP_NATIVE)
			continue;
		if (!elf && m->kind == UW_MAP_V8_BUILTINS)
			elf = open_file(&n->c->mappings[i]);
		regions[n_regions++] = (struct v8_region){ .start_addr = m->start_addr,
							   .end_addr = m->end_addr,
							   .file_off = m->file_off,
							   .is_jit = m->kind == UW_MAP_V8_JIT };
	}
	if (elf && (v8_build_new(&n->build, elf) || v8_heap_new(&n->heap, n->build, memory) ||
		    v8_heap_set_regions(n->heap, regions, n_regions)))
		v8_heap_free(&n->heap);
	elf_file_free(&elf);
	return 0;
}

int sim_name_frames(const struct case_file *c, const struct uw_sample *s, struct target *memory,
		    char *runtime, struct case_frames *out)
{
	_cleanup_(naming_deinit) struct naming n = { .c = c, .out = out };
	int err = open_heap(&n, memory);

	sim_dotnet_open(&n.dotnet, c, open_file);
	snprintf(runtime, RUNTIME_LEN, "%s",
		 n.heap		    ? v8_build_runtime(n.build)
		 : n.dotnet.runtime ? dotnet_build_runtime(n.dotnet.build)
				    : "");
	for (u32 i = s->n_kernel; i < s->n_frames && !err; i++) {
		const struct uw_frame *f = &s->frames[i];

		if (f->kind == UW_V8_STUB || f->kind == UW_V8_JS || f->kind == UW_V8_CODE)
			err = add_v8(&n, s, i);
		else if (f->kind == UW_DOTNET_METHOD || f->kind == UW_DOTNET_R2R ||
			 f->kind == UW_DOTNET_STUB)
			err = sim_dotnet_add(&n.dotnet, f, out);
		else
			err = add_native(&n, f);
	}
	return err;
}
