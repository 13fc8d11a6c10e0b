// SPDX-License-Identifier: BSD-2-Clause

/*
 * libdw decodes the forms: addresses as DW_FORM_addr or by index (DWARF 5), a high_pc that
 * is an address (DWARF 2, 3) or a length, names inline or by offset in three tables,
 * names at the declaration or the abstract instance, ranges in either of two sections.
 */

#include "jdw_dwarf.h"

#include "../util/array.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64 /* levels of nested entries; real programs have fewer than 20 */

struct walk {
	struct jdw_functions *list;
	Dwarf_Lines *lines;
	size_t n_lines;
};

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int linkage[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attr;
	const char *name;

	for (size_t i = 0; i < 2; i++) {
		name = dwarf_formstring(dwarf_attr_integrate(die, linkage[i], &attr));
		if (name && *name)
			return name;
	}
	name = dwarf_diename(die);
	return name && *name ? name : NULL;
}

static int push(struct walk *w, const char *name, u64 lo, u64 hi, u32 part)
{
	struct jdw_functions *list = w->list;
	char *own = name ? strdup(name) : NULL;

	if (array_reserve(list->all, list->room, list->n + 1)) {
		free(own);
		return -ENOMEM;
	}
	if (name && !own)
		return -ENOMEM;
	list->all[list->n++] = (struct jdw_function){ lo, hi, own, part, w->lines, w->n_lines };
	return 0;
}

static int add_function(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t off = 0;
	u32 part = 0;

	if (dwarf_hasattr(die, DW_AT_declaration))
		return 0;
	while ((off = dwarf_ranges(die, off, &base, &lo, &hi)) > 0)
		if (hi > lo && push(w, name_of(die), lo, hi, part++))
			return -ENOMEM;
	return 0;
}

/* Whether an entry can contain functions. */
static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type || tag == DW_TAG_module ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_interface_type;
}

static int walk_children(struct walk *w, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;
	int r = dwarf_child(parent, &die), err = 0;

	for (; r == 0 && !err; r = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram)
			err = add_function(w, &die);
		if (!err && is_scope(tag) && depth < MAX_DEPTH)
			err = walk_children(w, &die, depth + 1);
	}
	if (r < 0)
		w->list->broken_units++;
	return err;
}

static int by_lo(const void *a, const void *b)
{
	const struct jdw_function *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	/* Of ranges with the same start, the larger one comes first, because it is the function. */
	return x->hi > y->hi ? -1 : x->hi < y->hi;
}

int jdw_functions_read(Dwarf *dw, struct jdw_functions *list)
{
	struct walk w = { .list = list };
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	u8 type;
	int r, err;

	while ((r = dwarf_get_units(dw, cu, &cu, NULL, &type, &die, NULL)) == 0) {
		if (type != DW_UT_compile && type != DW_UT_partial)
			continue;
		w.lines = NULL;
		w.n_lines = 0;
		if (dwarf_getsrclines(&die, &w.lines, &w.n_lines)) {
			w.lines = NULL;
			w.n_lines = 0;
			list->broken_units += dwarf_hasattr(&die, DW_AT_stmt_list) != 0;
		}
		err = walk_children(&w, &die, 0);
		if (err)
			return err;
	}
	list->broken_units += r < 0;
	if (list->n)
		qsort(list->all, list->n, sizeof(*list->all), by_lo);
	return 0;
}

void jdw_functions_deinit(struct jdw_functions *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->all[i].name);
	free(list->all);
	*list = (struct jdw_functions){ 0 };
}
