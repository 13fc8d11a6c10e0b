// SPDX-License-Identifier: BSD-2-Clause

/*
 * Records code that an ELF image with DWARF describes. The caller passes the ranges of the code;
 * functions of the image are used only if they lie inside these ranges.
 *
 *	range    |<----------------------------------------->|
 *	image         [ f ]      [ g ]  [ g's cold part ]
 *	records  [ n ][ f ]      [ g ]  [ g.part.1      ][ n ]
 *
 * n is the range's own name, which is used for code that no function covers. Gaps of fewer than 16
 * bytes between functions are padding.
 */

#include "jdw_dwarf.h"
#include "unspool-jitdump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../util/array.h"
#include "../util/cleanup.h"
#include "../util/search.h"

#define PADDING 16
#define MAX_NAME 4096

struct placing {
	struct jdw *w;
	const struct jdw_image *image;
	struct jdw_functions functions;
	u8 *is_placed; /* for each function, whether it lies in one of the ranges */
	struct jdw_image_result result;
	struct jdw_line *lines; /* lines of the current record */
	size_t n_lines, lines_room;
	char **files; /* file names made for the current record */
	size_t n_files, files_room;
	int err; /* the first error of writing */
};

static int push_line(struct placing *p, const struct jdw_line *l)
{
	if (array_reserve(p->lines, p->lines_room, p->n_lines + 1))
		return -ENOMEM;
	p->lines[p->n_lines++] = *l;
	return 0;
}

/* FILE::FUNCTION, valid until the record is written. */
static const char *file_of_function(struct placing *p, const char *file, const char *function)
{
	char *made;

	if (array_reserve(p->files, p->files_room, p->n_files + 1))
		return NULL;
	if (asprintf(&made, "%s::%s", file, function ? function : "?") < 0)
		return NULL;
	return p->files[p->n_files++] = made;
}

static void forget_lines(struct placing *p)
{
	while (p->n_files)
		free(p->files[--p->n_files]);
	p->n_lines = 0;
}

static u64 row_addr(const struct jdw_function *f, size_t i)
{
	Dwarf_Addr addr = 0;

	dwarf_lineaddr(dwarf_onesrcline(f->lines, i), &addr);
	return addr;
}

/* The index of the first row at or after an address; rows are sorted by address. */
static size_t first_row(const struct jdw_function *f, u64 addr)
{
	return search_first(f->n_lines, i, row_addr(f, i) < addr);
}

static int take_lines(struct placing *p, const struct jdw_function *f)
{
	const char *file, *last_file = NULL, *made = NULL;
	size_t i = f->lines ? first_row(f, f->lo) : 0;
	Dwarf_Addr at = 0;

	/* The previous row may extend to the start address. */
	if (i && (i == f->n_lines ||
		  (dwarf_lineaddr(dwarf_onesrcline(f->lines, i), &at) == 0 && at > f->lo)))
		i--;
	for (; f->lines && i < f->n_lines; i++) {
		Dwarf_Line *row = dwarf_onesrcline(f->lines, i);
		struct jdw_line l = { 0 };
		int line = 0, column = 0;
		bool is_end = false;

		if (dwarf_lineaddr(row, &at) || at >= f->hi)
			break;
		dwarf_lineendsequence(row, &is_end);
		dwarf_lineno(row, &line);
		dwarf_linecol(row, &column);
		file = dwarf_linesrc(row, NULL, NULL);
		if (is_end || line <= 0 || !file)
			continue;
		if (p->image->one_record && file != last_file)
			made = file_of_function(p, file, f->name);
		last_file = file;
		l.addr = (at < f->lo ? f->lo : at) + p->image->bias;
		l.file = p->image->one_record ? made : file;
		l.line = (uint32_t)line;
		l.column = column > 0 ? (uint32_t)column : 0;
		if (!l.file || push_line(p, &l))
			return -ENOMEM;
	}
	return 0;
}

static void write_code(struct placing *p, const struct jdw_range *range, const char *name, u64 addr,
		       u64 size)
{
	struct jdw_code code = {
		.name = name,
		.addr = addr,
		.code = (const u8 *)range->code + (addr - range->addr),
		.size = size,
		.lines = p->lines,
		.n_lines = p->n_lines,
	};
	int err = jdw_add(p->w, &code);

	if (!err) {
		p->result.records++;
		p->result.with_lines += p->n_lines != 0;
	}
	p->err = p->err ? p->err : err;
	forget_lines(p);
}

/*
 * Writes code without a function, under the range's name, or under the fallback name with a number.
 */
static void write_rest(struct placing *p, const struct jdw_range *range, u64 addr, u64 size)
{
	const char *fallback = p->image->fallback ? p->image->fallback : "code[%u]";
	const char *number = strstr(fallback, "%u");
	char name[MAX_NAME];

	if (range->name) {
		write_code(p, range, range->name, addr, size);
		return;
	}
	if (number)
		snprintf(name, sizeof(name), "%.*s%zu%s", (int)(number - fallback), fallback,
			 (size_t)(range - p->image->ranges), number + 2);
	else
		snprintf(name, sizeof(name), "%s", fallback);
	p->result.nameless++;
	write_code(p, range, name, addr, size);
}

static void write_function(struct placing *p, const struct jdw_range *range,
			   const struct jdw_function *f)
{
	const char *prefix = p->image->prefix ? p->image->prefix : "";
	u64 addr = f->lo + p->image->bias, size = f->hi - f->lo;
	char name[MAX_NAME];

	if (take_lines(p, f))
		p->err = p->err ? p->err : -ENOMEM;
	if (!f->name) {
		write_rest(p, range, addr, size);
		return;
	}
	if (f->part)
		snprintf(name, sizeof(name), "%s%s.part.%u", prefix, f->name, f->part);
	else
		snprintf(name, sizeof(name), "%s%s", prefix, f->name);
	write_code(p, range, name, addr, size);
}

/* The index of the first function at or after an address of the image. */
static size_t first_function(const struct jdw_functions *list, u64 addr)
{
	return search_first(list->n, i, list->all[i].lo < addr);
}

/* Records the functions that lie completely in the range, in order of address. */
static void place_range(struct placing *p, const struct jdw_range *r)
{
	u64 bias = p->image->bias, start = r->addr - bias, end = start + r->size, at = start;
	bool has_function = false;

	for (size_t i = first_function(&p->functions, start); i < p->functions.n; i++) {
		const struct jdw_function *f = &p->functions.all[i];

		if (f->lo >= end)
			break;
		if (p->is_placed[i] || f->hi > end)
			continue;
		p->is_placed[i] = 1;
		if (p->image->one_record) {
			if (take_lines(p, f))
				p->err = p->err ? p->err : -ENOMEM;
			continue;
		}
		if (f->lo < at) {
			p->result.overlapping++;
			continue;
		}
		if (f->lo - at >= PADDING)
			write_rest(p, r, at + bias, f->lo - at);
		write_function(p, r, f);
		has_function = true;
		at = f->hi;
	}
	if (!has_function || end - at >= PADDING)
		write_rest(p, r, at + bias, end - at);
}

static int place(struct placing *p)
{
	p->is_placed = calloc(p->functions.n + 1, 1);
	if (!p->is_placed)
		return -ENOMEM;
	for (size_t i = 0; i < p->image->n_ranges; i++) {
		const struct jdw_range *r = &p->image->ranges[i];

		if (!r->size || r->addr + r->size < r->addr ||
		    r->addr - p->image->bias + r->size < r->size)
			return -EINVAL;
		place_range(p, r);
	}
	for (size_t i = 0; i < p->functions.n; i++)
		p->result.outside += !p->is_placed[i];
	return p->err;
}

/*
 * Whether the linker has placed the image's sections, so that debug information has final
 * addresses.
 */
static bool is_linked(Elf *elf)
{
	GElf_Ehdr eh;

	return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &eh) && eh.e_type != ET_REL;
}

int jdw_add_image(struct jdw *w, const struct jdw_image *image, struct jdw_image_result *result)
{
	struct placing p = { .w = w, .image = image };
	Dwarf *dw = NULL;
	Elf *elf;
	int err;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image->bytes, image->size);
	err = is_linked(elf) ? 0 : -EINVAL;
	if (!err) {
		dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
		if (dw) /* without DWARF the code is recorded under the range's name */
			err = jdw_functions_read(dw, &p.functions);
	}
	if (!err)
		err = place(&p);
	p.result.broken_units = p.functions.broken_units;
	if (result)
		*result = p.result;
	forget_lines(&p);
	free(p.lines);
	free(p.files);
	free(p.is_placed);
	jdw_functions_deinit(&p.functions);
	dwarf_end(dw);
	elf_end(elf);
	return err;
}
