/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A lookup has three steps; the results of the first two are cached:
 *
 *	address -> unit       ranges of all units (clang omits .debug_aranges)
 *	        -> function   ranges of the unit's functions
 *	        -> inlined    the entries below the function that contain the address
 *
 * The entry of an inlined function contains its call site; the line table contains the line in
 * the innermost function.
 */

#include "lines.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../dotnet/aot_code.h"
#include "../util/array.h"
#include "../util/cleanup.h"
#include "lines_unit.h"

#define MAX_ENTRIES_IN_FUNCTION (1u << 20)

struct unit {
	Dwarf_Off die_off;
	struct lines_ranges functions;
	int err; /* the error if the unit's functions could not be read */
	bool known;
};

struct lines {
	Dwarf *dwarf;
	Dwarf *alt; /* the part that dwz(1) moved to another file; NULL: none */
	u64 info_len, min_addr;
	struct aot_code aot;
	struct lines_ranges ranges;
	struct unit *units; /* sorted by offset */
	size_t n_units, room;
	char path[PATH_MAX]; /* source path of the current frame */
};

/* The functions at an address, from the innermost outwards. */
struct chain {
	Dwarf_Die dies[LINES_MAX_DEPTH];
	u32 n;
};

bool lines_in(struct elf_file *f)
{
	return elf_file_section_len(f, ".debug_info") && elf_file_section_len(f, ".debug_line");
}

u64 lines_len(struct elf_file *f)
{
	static const char *const names[] = {
		".debug_info",	   ".debug_abbrev",   ".debug_line",	 ".debug_str",
		".debug_line_str", ".debug_ranges",   ".debug_rnglists", ".debug_addr",
		".debug_loc",	   ".debug_loclists", ".debug_aranges",	 ".debug_str_offsets",
		".debug_types",	   ".debug_macro",    ".debug_macinfo",	 ".debug_frame"
	};
	u64 len = 0, one;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		one = elf_file_section_len(f, names[i]);
		len = len + one < len ? ~0ull : len + one;
	}
	return len;
}

static int add_unit(struct lines *l, Dwarf_Die *die)
{
	if (array_reserve(l->units, l->room, l->n_units + 1))
		return -ENOMEM;
	l->units[l->n_units++] = (struct unit){ .die_off = dwarf_dieoffset(die) };
	return lines_ranges_add(&l->ranges, die, l->min_addr);
}

static int index_units(struct lines *l)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	int r, err;

	while (!(r = dwarf_get_units(l->dwarf, unit, &unit, NULL, &type, &die, NULL))) {
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		err = add_unit(l, &die);
		if (err)
			return err;
	}
	if (r < 0)
		return -ENOEXEC;
	lines_ranges_sort(&l->ranges);
	return 0;
}

/* The start of the first executable segment; no code has a lower address. */
static u64 min_addr(const struct elf_file *f)
{
	u64 min = ~0ull;
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);

	for (size_t i = 0; i < n; i++)
		if (s[i].is_exec && s[i].addr < min)
			min = s[i].addr;
	return min == ~0ull ? 0 : min;
}

static Dwarf *begin(struct elf_file *f)
{
	return dwarf_begin_elf(elf_file_elf(f), DWARF_C_READ, NULL);
}

int lines_new(struct lines **lines, struct elf_file *f, struct elf_file *alt, u64 max_len)
{
	_cleanup_(lines_free) struct lines *l = NULL;
	int err;

	if (!lines_in(f))
		return -ENOENT;
	if (elf_file_section_len(f, ".gnu_debugaltlink") && !alt)
		return -EXDEV;
	if (lines_len(f) > max_len || (alt && lines_len(alt) > max_len - lines_len(f)))
		return -EFBIG;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	l->info_len = elf_file_section_len(f, ".debug_info");
	l->min_addr = min_addr(f);
	aot_code_find(&l->aot, f);
	l->dwarf = begin(f);
	l->alt = l->dwarf && alt ? begin(alt) : NULL;
	if (!l->dwarf || (alt && !l->alt))
		return -ENOEXEC;
	if (alt)
		dwarf_setalt(l->dwarf, l->alt);
	err = index_units(l);
	if (err)
		return err;
	*lines = TAKE_PTR(l);
	return 0;
}

void lines_demangle(const struct lines *l, u64 addr, const char *mangled, char *dst, size_t len)
{
	aot_code_demangle(&l->aot, addr, mangled, dst, len);
}

void lines_free(struct lines **lines)
{
	struct lines *l = *lines;

	*lines = NULL;
	if (!l)
		return;
	for (size_t i = 0; i < l->n_units; i++)
		free(l->units[i].functions.v);
	free(l->units);
	free(l->ranges.v);
	dwarf_end(l->dwarf);
	dwarf_end(l->alt);
	free(l);
}

static int compare_unit(const void *key, const void *item)
{
	const Dwarf_Off *off = key;
	const struct unit *u = item;

	return *off == u->die_off ? 0 : *off < u->die_off ? -1 : 1;
}

/* Finds the unit of an address, and indexes its functions. */
static int find_unit(struct lines *l, u64 addr, struct unit **unit, Dwarf_Die *die)
{
	const struct lines_range *range = lines_ranges_find(&l->ranges, addr);
	struct unit *u =
		range ? bsearch(&range->die_off, l->units, l->n_units, sizeof(*u), compare_unit)
		      : NULL;

	if (!u)
		return -ENOENT;
	if (!dwarf_offdie(l->dwarf, u->die_off, die))
		return -ENOEXEC;
	if (!u->known) {
		u->err = lines_unit_functions(die, l->min_addr, l->info_len, &u->functions);
		lines_ranges_sort(&u->functions);
		u->known = true;
	}
	*unit = u;
	return 0;
}

static bool has_addresses(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

/* Whether this entry can contain an inlined function at the address. */
static bool leads_to(Dwarf_Die *die, u64 addr)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_inlined_subroutine:
		return dwarf_haspc(die, addr) > 0;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		return !has_addresses(die) || dwarf_haspc(die, addr) > 0;
	default:
		return false;
	}
}

/*
 * A block without addresses may not contain the address, so its siblings are also visited. At the
 * end of a block the search returns to the parent of the block, unless the block contained an
 * inlined function.
 */
static int descend(struct chain *c, u64 addr)
{
	Dwarf_Die nest[LINES_MAX_DEPTH];
	int depth = 0, none = dwarf_child(&c->dies[0], &nest[0]);

	for (u32 n = 0; n < MAX_ENTRIES_IN_FUNCTION && none >= 0; n++) {
		if (none > 0) {
			if (!depth)
				return 0;
			depth--;
		} else if (leads_to(&nest[depth], addr)) {
			bool found = dwarf_tag(&nest[depth]) == DW_TAG_inlined_subroutine;
			Dwarf_Die child;

			if (found && c->n == LINES_MAX_DEPTH)
				return -E2BIG;
			if (found)
				c->dies[c->n++] = nest[depth];
			none = dwarf_child(&nest[depth], &child);
			if (found)
				depth = 0;
			else if (!none && depth + 1 < LINES_MAX_DEPTH)
				depth++;
			if (!none)
				nest[depth] = child;
			if (found || !none)
				continue;
		}
		none = dwarf_siblingof(&nest[depth], &nest[depth]);
	}
	return -ENOEXEC;
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return dwarf_formstring(&attr);
	return dwarf_diename(die);
}

static u32 number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) && value <= INT32_MAX
		       ? (u32)value
		       : 0;
}

/* Makes a path absolute. libdw leaves the paths of DWARF 5 relative to DW_AT_comp_dir. */
static const char *absolute(struct lines *l, Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attr;
	const char *dir;
	int n;

	if (!path || path[0] == '/' || !dwarf_attr(unit, DW_AT_comp_dir, &attr))
		return path;
	dir = dwarf_formstring(&attr);
	n = dir ? snprintf(l->path, sizeof(l->path), "%s/%s", dir, path) : -1;
	return n > 0 && n < (int)sizeof(l->path) ? l->path : path;
}

/* Fills in file, line and column of the innermost function, from the line table. */
static void take_line(Dwarf_Die *unit, u64 addr, struct lines_frame *f)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, addr);
	int n;

	if (!line)
		return;
	f->file = dwarf_linesrc(line, NULL, NULL);
	f->line = !dwarf_lineno(line, &n) && n > 0 ? (u32)n : 0;
	f->column = f->line && !dwarf_linecol(line, &n) && n > 0 ? (u32)n : 0;
}

/* Fills in file, line and column of the call of an inlined function. */
static void take_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct lines_frame *f)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word i;
	size_t n;

	f->line = number(inlined, DW_AT_call_line);
	f->column = f->line ? number(inlined, DW_AT_call_column) : 0;
	if (dwarf_attr(inlined, DW_AT_call_file, &attr) && !dwarf_formudata(&attr, &i) &&
	    !dwarf_getsrcfiles(unit, &files, &n) && i < n)
		f->file = dwarf_filesrc(files, i, NULL, NULL);
}

/*
 * Fills in the line where a function is defined, if the definition is in the same file as the
 * function's code. A macro or an included file may define the function elsewhere.
 */
static void take_start(Dwarf_Die *function, struct lines_frame *f)
{
	const char *file = f->file ? dwarf_decl_file(function) : NULL;
	int n;

	if (file && !strcmp(file, f->file) && !dwarf_decl_line(function, &n) && n > 0)
		f->start_line = (u32)n;
}

static int emit(struct lines *l, Dwarf_Die *unit, struct chain *c, u64 addr, lines_fn *fn,
		void *data)
{
	int r = 0;

	for (u32 i = c->n; !r && i-- > 0;) {
		struct lines_frame f = { .name = name_of(&c->dies[i]), .inlined = i };

		if (i + 1 == c->n)
			take_line(unit, addr, &f);
		else
			take_call(unit, &c->dies[i + 1], &f);
		take_start(&c->dies[i], &f);
		f.file = absolute(l, unit, f.file);
		r = fn(&f, data);
	}
	return r;
}

int lines_lookup(struct lines *l, u64 addr, lines_fn *fn, void *data)
{
	struct lines_frame alone = {};
	const struct lines_range *function;
	struct unit *unit = NULL;
	struct chain c = { .n = 1 };
	Dwarf_Die die;
	int err = find_unit(l, addr, &unit, &die);

	if (err)
		return err;
	function = lines_ranges_find(&unit->functions, addr);
	if (!function) { /* written in assembly */
		take_line(&die, addr, &alone);
		alone.file = absolute(l, &die, alone.file);
		return unit->err ? unit->err : alone.file ? fn(&alone, data) : -ENOENT;
	}
	if (!dwarf_offdie(l->dwarf, function->die_off, &c.dies[0]))
		return -ENOEXEC;
	err = descend(&c, addr);
	return err ? err : emit(l, &die, &c, addr, fn, data);
}
