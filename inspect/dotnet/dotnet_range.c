/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Slot 0 of g_dacTable leads to the code ranges of the ExecutionManager.
 *
 * .NET 6, 7: a list.  slot 0 -> head -> RangeSection -> next ...
 *
 * .NET 8-10: a map of five levels, 256 pointers each, one leaf per 128 KiB:
 *
 *	slot 0 -> top[pc >> 49 & 255] -> [pc >> 41 & 255] -> [pc >> 33 & 255]
 *	       -> [pc >> 25 & 255] -> [pc >> 17 & 255] -> fragment -> fragment ...
 *	fragment { next, begin, end, RangeSection }
 *
 * Bit 0 of a pointer is set if code in the pointer's part of the map is
 * collectible. Source: coreclr vm/codeman.h, RangeSection and RangeSectionMap
 * at v7.0.19 and v10.0.14.
 */

#include <errno.h>

#include "dotnet_range.h"

#define MAX_SECTIONS 65536 /* sections of a list; nodes and fragments of a map */
#define MAX_FRAGMENTS 4096 /* limit for a leaf, whose 128 KiB have 32 pages */
#define SECTION_LEN 0x38
#define N_LEVELS 5

enum { FLAG_CODE_HEAP = 2, FLAG_RANGE_LIST = 4 };

static u64 pointer(u64 word)
{
	return word & ~1ull;
}

/* Reads slot 0 of g_dacTable. */
static int read_root(struct dotnet_runtime *rt, u64 *root)
{
	u64 slot = rt->bias + rt->build->dac_table_addr;
	u32 rva;
	int err;

	if (!rt->l->dac_is_rva)
		return dotnet_word(rt, slot, root);
	err = dotnet_read(rt, slot, &rva, sizeof(rva));
	if (!err)
		*root = rt->bias + rva;
	return err;
}

/* Parses a section of SECTION_LEN bytes in this version's layout. */
static int take_section(const struct dotnet_layout *l, const u64 *words, struct dotnet_section *s)
{
	u32 flags = (u32)words[l->section_flags / 8];
	u64 r2r = words[l->section_r2r_module / 8], heap = words[l->section_heap / 8];

	s->start_addr = words[0];
	s->end_addr = words[1];
	if (flags & FLAG_CODE_HEAP) {
		s->kind = DOTNET_SECTION_HEAP;
		s->heap = heap;
	} else if (l->ranges_are_map && flags & FLAG_RANGE_LIST) {
		s->kind = DOTNET_SECTION_STUBS;
		s->heap = words[l->section_heap / 8 + 1];
	} else {
		s->kind = DOTNET_SECTION_R2R;
		s->heap = r2r;
	}
	return s->start_addr < s->end_addr && s->heap ? 0 : -EINVAL;
}

static int read_section(struct dotnet_runtime *rt, u64 addr, struct dotnet_section *s)
{
	u64 words[SECTION_LEN / 8];
	int err = dotnet_read(rt, addr, words, sizeof(words));

	return err ? err : take_section(rt->l, words, s);
}

static int find_in_list(struct dotnet_runtime *rt, u64 head, u64 pc, struct dotnet_section *s)
{
	u64 addr;
	int err = dotnet_word(rt, head, &addr);

	for (u32 i = 0; !err && addr && i < MAX_SECTIONS; i++) {
		u64 words[SECTION_LEN / 8];

		err = dotnet_read(rt, addr, words, sizeof(words));
		if (err)
			return err;
		if (pc >= words[0] && pc < words[1])
			return take_section(rt->l, words, s);
		addr = words[rt->l->section_next / 8];
	}
	return err ? err : addr ? -ELOOP : -ENOENT;
}

struct fragment {
	u64 next, begin, end, section;
};

static int find_in_leaf(struct dotnet_runtime *rt, u64 addr, u64 pc, struct dotnet_section *s)
{
	for (u32 i = 0; addr && i < MAX_FRAGMENTS; i++) {
		struct fragment f;
		int err = dotnet_read(rt, addr, &f, sizeof(f));

		if (err)
			return err;
		if (pc >= f.begin && pc < f.end) {
			err = read_section(rt, f.section, s);
			return err || (pc >= s->start_addr && pc < s->end_addr) ? err : -EINVAL;
		}
		addr = pointer(f.next);
	}
	return addr ? -ELOOP : -ENOENT;
}

static int find_in_map(struct dotnet_runtime *rt, u64 root, u64 pc, struct dotnet_section *s)
{
	u64 addr = root;

	if (pc >> 57)
		return -ENOENT;
	for (int shift = 49; shift >= 17; shift -= 8) {
		int err = dotnet_word(rt, addr + 8 * (pc >> shift & 255), &addr);

		if (err)
			return err;
		addr = pointer(addr);
		if (!addr)
			return -ENOENT;
	}
	return find_in_leaf(rt, addr, pc, s);
}

int dotnet_section_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_section *s)
{
	struct dotnet_section found;
	u64 root;
	int err = read_root(rt, &root);

	if (err)
		return err;
	err = rt->l->ranges_are_map ? find_in_map(rt, root, pc, &found)
				    : find_in_list(rt, root, pc, &found);
	if (!err)
		*s = found;
	return err;
}

/* ---- all sections ---- */

struct each {
	struct dotnet_runtime *rt;
	int (*fn)(const struct dotnet_section *s, void *data);
	void *data;
	u32 n_nodes, n_fragments; /* nodes and fragments may be shared, so all visits count */
};

/* Calls the visitor for a section, unless the section is invalid. */
static int call(const struct each *e, u64 addr)
{
	struct dotnet_section s;

	return read_section(e->rt, addr, &s) ? 0 : e->fn(&s, e->data);
}

static int each_of_list(struct each *e, u64 head)
{
	u64 addr;
	int r = dotnet_word(e->rt, head, &addr);

	for (u32 i = 0; !r && addr; i++) {
		r = i < MAX_SECTIONS ? call(e, addr) : -ELOOP;
		if (!r && dotnet_word(e->rt, addr + e->rt->l->section_next, &addr))
			return 0;
	}
	return r;
}

static int each_of_leaf(struct each *e, u64 addr)
{
	struct fragment f;
	int r = 0;

	for (u32 i = 0; !r && addr; i++) {
		if (dotnet_read(e->rt, addr, &f, sizeof(f)))
			return 0;
		if (i == MAX_FRAGMENTS || ++e->n_fragments > MAX_SECTIONS)
			return -ELOOP;
		r = call(e, f.section);
		addr = pointer(f.next);
	}
	return r;
}

static int each_of_level(struct each *e, u64 addr, int level)
{
	u64 words[256];
	int r = 0;

	if (++e->n_nodes > MAX_SECTIONS)
		return -ELOOP;
	if (dotnet_read(e->rt, addr, words, sizeof(words)))
		return 0;
	for (u32 i = 0; !r && i < 256; i++) {
		if (!pointer(words[i]))
			continue;
		r = level ? each_of_level(e, pointer(words[i]), level - 1)
			  : each_of_leaf(e, pointer(words[i]));
	}
	return r;
}

int dotnet_sections_each(struct dotnet_runtime *rt,
			 int (*fn)(const struct dotnet_section *s, void *data), void *data)
{
	struct each e = { .rt = rt, .fn = fn, .data = data };
	u64 root;
	int err = read_root(rt, &root);

	if (err)
		return err;
	return rt->l->ranges_are_map ? each_of_level(&e, root, N_LEVELS - 1)
				     : each_of_list(&e, root);
}
