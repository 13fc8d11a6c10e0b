/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * CLI header, directory 8: "RTR\0" u16 major, u16 minor, u32 flags, u32 sections, then
 * { u32 type, u32 rva, u32 length } each:
 *
 *	102  runtime functions { begin, end, unwind }, sorted, a method's funclets after it
 *	105  array: runtime function -> debug information; an element is
 *	     the distance back to the information, or 0 if the information is right after it
 *	103  array: row of MethodDef - 1 -> runtime function
 *	109  hash table: instantiated methods -> runtime function
 *	115  array: components { a directory that is empty, { u32 rva, u32 length } of a header }
 *
 * A composite image contains many assemblies. Each of these assemblies is called a component, and
 * has its own section 103; its header { u32 flags, u32 sections } is followed by sections as above.
 * The entries made here do not record the component of a row; the runtime's table does
 * (dotnet_restored.c).
 *
 * After an element of 103, and after an instantiation's signature, an integer encodes the number of
 * the function: if bit 0 is set, the number is value >> 2 (and fixups follow), else value >> 1.
 * Functions that neither 103 nor 109 has are funclets, and belong to the nearest entry before them.
 * Source: coreclr docs/design/coreclr/botr/readytorun-format.md, src/coreclr/inc/readytorun.h at
 * v8.0.33 to v10.0.14.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../util/cleanup.h"
#include "../util/search.h"
#include "native_format.h"
#include "r2r.h"

#define CLI_READY_TO_RUN 8
#define MAX_SECTIONS 64
#define MAX_SECTION_LEN (64u << 20)
#define MAX_FUNCTIONS (4u << 20)
#define MAX_COMPONENTS 4096

enum {
	SECTION_FUNCTIONS = 102,
	SECTION_METHODS = 103,
	SECTION_DEBUG_INFO = 105,
	SECTION_INSTANCES = 109,
	SECTION_COMPONENTS = 115,
	SECTION_HOT_COLD_MAP = 120,
};

struct header {
	u32 magic;
	u16 major, minor;
};

struct core_header {
	u32 flags, n_sections;
};

struct component {
	struct pe_range cli, header;
};

struct section {
	u32 type, rva, len;
};

struct image {
	struct section functions, methods, instances, debug, components;
	u16 major;
};

static int take_section(struct image *image, const struct section *s)
{
	switch (s->type) {
	case SECTION_FUNCTIONS:
		image->functions = *s;
		break;
	case SECTION_METHODS:
		image->methods = *s;
		break;
	case SECTION_DEBUG_INFO:
		image->debug = *s;
		break;
	case SECTION_INSTANCES:
		image->instances = *s;
		break;
	case SECTION_COMPONENTS:
		image->components = *s;
		break;
	case SECTION_HOT_COLD_MAP:
		return -ENOTSUP;
	default:
		break;
	}
	return s->len > MAX_SECTION_LEN ? -ENOEXEC : 0;
}

static int read_sections(struct target *t, u64 addr, struct image *image)
{
	struct core_header h;
	int err = target_read(t, addr, &h, sizeof(h));

	if (!err && h.n_sections > MAX_SECTIONS)
		err = -ENOEXEC;
	for (u32 i = 0; !err && i < h.n_sections; i++) {
		struct section s;

		err = target_read(t, addr + sizeof(h) + i * sizeof(s), &s, sizeof(s));
		if (!err)
			err = take_section(image, &s);
	}
	return err;
}

static int read_header(const struct pe *pe, struct image *image)
{
	struct target *t = pe->target;
	struct pe_range range;
	struct header h;
	u64 addr;
	int err = pe_cli_range(pe, CLI_READY_TO_RUN, &range);

	if (!err)
		err = pe_addr(pe, range, &addr);
	if (!err)
		err = target_read(t, addr, &h, sizeof(h));
	if (!err && memcmp(&h.magic, "RTR", 4))
		err = -ENOEXEC;
	if (!err)
		err = read_sections(t, addr + sizeof(h), image);
	if (err)
		return err;
	image->major = h.major;
	/* A component has no functions itself, because its functions are in the composite image. */
	return image->functions.len ? 0 : -ENOTSUP;
}

int r2r_functions_range(const struct pe *pe, struct pe_range *range)
{
	struct image image = {};
	int err = read_header(pe, &image);

	if (!err)
		*range = (struct pe_range){ image.functions.rva, image.functions.len };
	return err;
}

static int copy_section(const struct r2r *r, const struct section *s, u8 **bytes)
{
	_cleanup_free_ u8 *p = malloc(s->len + 1);
	int err = p ? target_read(r->target, r->base_addr + s->rva, p, s->len) : -ENOMEM;

	if (!err)
		*bytes = TAKE_PTR(p);
	return err;
}

struct building {
	struct r2r *r;
	struct native_format format;
	u32 room;
	u32 methods_len; /* running total over the components */
};

static int add_entry(struct building *b, u32 pos, u32 row, u32 instance_off)
{
	struct r2r *r = b->r;
	u32 value;

	if (native_format_uint(&b->format, &pos, &value))
		return -EINVAL;
	value = value & 1 ? value >> 2 : value >> 1;
	if (value >= r->n_functions)
		return -EINVAL;
	if (r->n_entries == b->room) {
		u32 room = b->room ? 2 * b->room : 256;
		void *p = room > MAX_FUNCTIONS
				  ? NULL
				  : reallocarray(r->entries, room, sizeof(*r->entries));

		if (!p)
			return -ENOMEM;
		r->entries = p;
		b->room = room;
	}
	r->entries[r->n_entries++] = (struct r2r_entry){ value, row, instance_off };
	return 0;
}

static int add_methods(struct building *b, const struct section *s)
{
	_cleanup_free_ u8 *bytes = NULL;
	u32 n, pos;
	int err = copy_section(b->r, s, &bytes);

	b->format = (struct native_format){ bytes, s->len };
	if (!err)
		err = native_format_array_len(&b->format, &n);
	for (u32 i = 0; !err && i < n; i++) {
		err = native_format_array_find(&b->format, i, &pos);
		err = err == -ENOENT ? 0 : err ? err : add_entry(b, pos, i + 1, 0);
	}
	return err;
}

static int add_component(struct building *b, const struct component *c)
{
	struct image image = {};
	int err = read_sections(b->r->target, b->r->base_addr + c->header.rva, &image);

	if (err || !image.methods.len)
		return err;
	b->methods_len += image.methods.len;
	return b->methods_len > MAX_SECTION_LEN ? -ENOEXEC : add_methods(b, &image.methods);
}

static int add_components(struct building *b, const struct section *s)
{
	u32 n = s->len / sizeof(struct component);
	int err = n > MAX_COMPONENTS ? -ENOEXEC : 0;

	for (u32 i = 0; !err && i < n; i++) {
		struct component c;

		err = target_read(b->r->target, b->r->base_addr + s->rva + i * sizeof(c), &c,
				  sizeof(c));
		if (!err)
			err = add_component(b, &c);
	}
	return err;
}

/*
 * If the encoding of an instantiation is unknown, its entry has no row, so its code gets no name.
 */
static int add_instance(u32 pos, void *data)
{
	struct building *b = data;
	const u8 *bytes = b->format.bytes, *after;
	struct r2r_instance instance;

	if (r2r_instance_get(bytes + pos, bytes + b->format.len, &instance, &after) ||
	    (instance.is_elsewhere && !b->r->is_composite))
		return -ENOTSUP;
	return add_entry(b, (u32)(after - bytes), instance.row, pos);
}

static int compare(const void *pa, const void *pb)
{
	const struct r2r_entry *a = pa, *b = pb;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int build(struct r2r *r, const struct image *image)
{
	struct building b = { .r = r };
	int err = r->is_composite ? add_components(&b, &image->components)
				  : add_methods(&b, &image->methods);

	if (!err && image->instances.len)
		err = copy_section(r, &image->instances, &r->instances);
	if (!err && r->instances) {
		r->instances_len = image->instances.len;
		b.format = (struct native_format){ r->instances, r->instances_len };
		err = native_format_each(&b.format, add_instance, &b);
	}
	if (!err && r->n_entries)
		qsort(r->entries, r->n_entries, sizeof(*r->entries), compare);
	return err == -EINVAL ? -ENOEXEC : err;
}

int r2r_new(struct r2r **out, struct target *t, u64 base)
{
	_cleanup_(r2r_free) struct r2r *r = calloc(1, sizeof(*r));
	struct image image = {};
	struct pe pe;
	int err = r ? pe_init(&pe, t, base, false) : -ENOMEM;

	if (!err)
		err = read_header(&pe, &image);
	if (!err && !image.methods.len && !image.components.len)
		err = -ENOTSUP;
	if (err)
		return err;
	r->is_composite = image.components.len;
	r->target = t;
	r->base_addr = base;
	r->functions_addr = base + image.functions.rva;
	r->n_functions = image.functions.len / sizeof(struct r2r_function);
	r->debug_rva = image.debug.rva;
	r->debug_len = image.debug.len;
	r->major = image.major;
	err = build(r, &image);
	if (!err)
		*out = TAKE_PTR(r);
	return err;
}

void r2r_free(struct r2r **r)
{
	if (*r) {
		free((*r)->entries);
		free((*r)->instances);
		free((*r)->debug);
	}
	free(*r);
	*r = NULL;
}

static int read_function(const struct r2r *r, u32 idx, struct r2r_function *f)
{
	return target_read(r->target, r->functions_addr + (u64)idx * sizeof(*f), f, sizeof(*f));
}

static int find_function(const struct r2r *r, u32 rva, u32 *idx)
{
	u32 low = 0, high = r->n_functions;
	struct r2r_function f;
	int err;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		err = read_function(r, mid, &f);
		if (err)
			return err;
		if (f.begin <= rva)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return -ENOENT;
	*idx = low - 1;
	err = read_function(r, low - 1, &f);
	return err ? err : rva >= f.begin && rva < f.end ? 0 : -ENOENT;
}

int r2r_function_find(const struct r2r *r, u32 rva, struct r2r_function *f)
{
	u32 idx;
	int err = find_function(r, rva, &idx);

	return err ? err : read_function(r, idx, f);
}

/* Finds the last entry at or before a function. */
static u32 find_entry(const struct r2r *r, u32 function)
{
	return (u32)search_first(r->n_entries, i, r->entries[i].function <= function);
}

int r2r_find(const struct r2r *r, u32 rva, struct r2r_code *code)
{
	struct r2r_function first, last;
	u32 idx, next;
	int err = find_function(r, rva, &idx);

	if (err)
		return err;
	next = find_entry(r, idx);
	if (!next)
		return -ENOENT;
	code->entry = &r->entries[next - 1];
	idx = next < r->n_entries ? r->entries[next].function : r->n_functions;
	err = read_function(r, code->entry->function, &first);
	if (!err)
		err = read_function(r, idx - 1, &last);
	if (err)
		return err;
	code->begin = first.begin;
	code->end = last.end;
	return rva >= first.begin && rva < last.end ? 0 : -EINVAL;
}

int r2r_debug_info(struct r2r *r, const struct r2r_code *code, u64 *addr)
{
	const struct section s = { SECTION_DEBUG_INFO, r->debug_rva, r->debug_len };
	struct native_format format;
	u32 at, pos, back;
	int err = s.len ? 0 : -ENOENT;

	if (!err && !r->debug)
		err = copy_section(r, &s, &r->debug);
	format = (struct native_format){ r->debug, s.len };
	if (!err)
		err = native_format_array_find(&format, code->entry->function, &at);
	if (err)
		return err == -EINVAL ? -ENOEXEC : err;
	pos = at;
	if (native_format_uint(&format, &pos, &back) || back > at)
		return -ENOEXEC;
	*addr = r->base_addr + s.rva + (back ? at - back : pos);
	return 0;
}
