/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * libdw's own search for the scopes of an address visits the whole unit each time. This code
 * visits the unit once, and only the entries that can contain functions:
 *
 *	unit > namespace > function > block > class > function
 *
 * Entries are counted, because a crafted file can link siblings into a ring.
 */

#include "lines_unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../util/array.h"
#include "../util/search.h"

#define MAX_RANGES (1u << 22) /* 96 MiB */
#define MAX_NESTING 64
#define MAX_WALK_BACK 16

static int add(struct lines_ranges *r, const struct lines_range *range)
{
	if (r->n == MAX_RANGES)
		return -E2BIG;
	if (array_reserve(r->v, r->room, r->n + 1))
		return -ENOMEM;
	r->v[r->n++] = *range;
	return 0;
}

int lines_ranges_add(struct lines_ranges *r, Dwarf_Die *die, u64 min_addr)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t off = 0;
	int err = 0;

	while (!err && (off = dwarf_ranges(die, off, &base, &start, &end)) > 0)
		if (start < end && start >= min_addr)
			err = add(r, &(struct lines_range){ start, end, dwarf_dieoffset(die) });
	return err;
}

static int compare(const void *pa, const void *pb)
{
	const struct lines_range *a = pa, *b = pb;

	if (a->start_addr != b->start_addr)
		return a->start_addr < b->start_addr ? -1 : 1;
	if (a->end_addr != b->end_addr)
		return a->end_addr > b->end_addr ? -1 : 1;
	return (a->die_off > b->die_off) - (a->die_off < b->die_off);
}

void lines_ranges_sort(struct lines_ranges *r)
{
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), compare);
}

const struct lines_range *lines_ranges_find(const struct lines_ranges *r, u64 addr)
{
	size_t at = search_first(r->n, i, r->v[i].start_addr <= addr);

	for (int i = 0; at > 0 && i < MAX_WALK_BACK; i++)
		if (addr < r->v[--at].end_addr)
			return &r->v[at];
	return NULL;
}

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return true;
	default:
		return false;
	}
}

int lines_unit_functions(Dwarf_Die *unit, u64 min_addr, u64 max_entries, struct lines_ranges *r)
{
	Dwarf_Die nest[MAX_NESTING];
	int depth = 0, none, err = 0;

	none = dwarf_child(unit, &nest[0]);
	for (u64 n = 0; !err && none >= 0; n++) {
		if (n > max_entries)
			return -ENOEXEC;
		if (none > 0) {
			if (!depth)
				return 0;
			depth--;
		} else {
			int tag = dwarf_tag(&nest[depth]);

			if (tag == DW_TAG_subprogram)
				err = lines_ranges_add(r, &nest[depth], min_addr);
			if (may_hold_functions(tag) && depth + 1 < MAX_NESTING &&
			    !dwarf_child(&nest[depth], &nest[depth + 1])) {
				depth++;
				continue;
			}
		}
		none = dwarf_siblingof(&nest[depth], &nest[depth]);
	}
	return err ? err : -ENOEXEC;
}
