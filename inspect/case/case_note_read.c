// SPDX-License-Identifier: BSD-2-Clause

/*
 * From a note to a case. The first thing that is wrong is remembered with the place
 * where it stands; all that is read after it is zero, and nobody looks at it. Keys
 * that are not known are passed over, so that a later version can add some.
 */

#include "case_format.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	const json_t *item; /* whose keys are read */
	const char *list; /* its list, and index there; NULL: the note itself */
	size_t idx;
	struct case_error *why;
	int err;
};

static void wrong(struct parse *p, const char *key, const char *what)
{
	if (p->err)
		return;
	if (p->list)
		p->err = case_fail(p->why, -EINVAL, NULL, "%s[%zu].%s %s", p->list, p->idx, key,
				   what);
	else
		p->err = case_fail(p->why, -EINVAL, NULL, "%s %s", key, what);
}

static int parse_hex(const char *s, u64 *out)
{
	size_t n = 0;

	if (!s || strncmp(s, "0x", 2) != 0)
		return -EINVAL;
	while (isxdigit((u8)s[2 + n]))
		n++;
	if (!n || n > 16 || s[2 + n])
		return -EINVAL;
	*out = strtoull(s, NULL, 16);
	return 0;
}

/* An address. */
static u64 get_hex(struct parse *p, const char *key)
{
	u64 value = 0;

	if (parse_hex(json_string_value(json_object_get(p->item, key)), &value))
		wrong(p, key, "is no \"0x...\"");
	return value;
}

static u64 number_of(struct parse *p, const char *key, const json_t *value, u64 max)
{
	json_int_t n = json_integer_value(value);

	if (!json_is_integer(value) || n < 0 || (u64)n > max) {
		wrong(p, key, "is no number, or none that can be");
		return 0;
	}
	return (u64)n;
}

static u64 get_number(struct parse *p, const char *key, u64 max)
{
	return number_of(p, key, json_object_get(p->item, key), max);
}

/* The same, but 0 when it is left out. */
static u32 get_some(struct parse *p, const char *key)
{
	const json_t *value = json_object_get(p->item, key);

	return value ? (u32)number_of(p, key, value, UINT32_MAX) : 0;
}

static bool get_true(struct parse *p, const char *key)
{
	const json_t *value = json_object_get(p->item, key);

	if (value && !json_is_boolean(value))
		wrong(p, key, "is neither true nor false");
	return json_is_true(value);
}

/* NULL when it is left out. */
static const char *get_text(struct parse *p, const char *key)
{
	const json_t *value = json_object_get(p->item, key);

	if (value && !json_is_string(value))
		wrong(p, key, "is no text");
	return json_string_value(value);
}

static u8 index_of(struct parse *p, const char *key, const char *word, const char *const *words)
{
	for (u8 i = 0; word && words[i]; i++)
		if (!strcmp(word, words[i]))
			return i;
	wrong(p, key, "is no word that is known there");
	return 0;
}

static u8 get_word(struct parse *p, const char *key, const char *const *words)
{
	return index_of(p, key, json_string_value(json_object_get(p->item, key)), words);
}

static u8 get_flags(struct parse *p, const char *key, const char *const *words)
{
	const json_t *list = json_object_get(p->item, key);
	u32 flags = 0;

	if (!json_is_array(list))
		wrong(p, key, "is no list");
	for (size_t i = 0; i < json_array_size(list) && !p->err; i++)
		flags |= 1u << index_of(p, key, json_string_value(json_array_get(list, i)), words);
	return (u8)flags;
}

/*
 * get_list() - a list of objects
 * @from:	whose key it is
 * @take:	makes element @i of it, of @size bytes, zero before
 *
 * Return: the elements, NULL for none; @n counts those that there is memory for.
 */
static void *get_list(struct parse *p, const json_t *from, const char *key, size_t size, u32 *n,
		      void (*take)(struct parse *p, void *to))
{
	const json_t *list = json_object_get(from, key);
	size_t count = json_array_size(list);
	char *elements;

	if (p->err || !list)
		return NULL;
	p->list = NULL;
	if (!json_is_array(list) || count > CASE_MAX_LIST)
		wrong(p, key, "is no list, or too long");
	elements = p->err || !count ? NULL : calloc(count, size);
	if (!p->err && count && !elements)
		p->err = -ENOMEM;
	for (p->list = key, p->idx = 0; p->idx < count && !p->err; p->idx++) {
		p->item = json_array_get(list, p->idx);
		take(p, elements + p->idx * size);
	}
	p->list = NULL;
	*n = elements ? (u32)count : 0;
	return elements;
}

static void take_mapping(struct parse *p, void *to)
{
	*(struct case_mapping *)to = (struct case_mapping){
		.map = {
			.start_addr = get_hex(p, "start"),
			.end_addr = get_hex(p, "end"),
			.file_off = get_hex(p, "file_off"),
			.module = (u32)get_number(p, "module", UINT32_MAX),
			.kind = get_word(p, "kind", case_map_kind_words),
			.info_idx = (u16)get_number(p, "info", UINT16_MAX),
		},
		.path = get_text(p, "path"),
		.build_id = get_text(p, "build_id"),
	};
}

static void take_v8(struct parse *p, void *to)
{
	struct v8_info *v8 = to;

	*v8 = (struct v8_info){
		.bytecode_array_slot = (u16)get_number(p, "bytecode_array_slot", UINT16_MAX),
		.bytecode_offset_slot = (u16)get_number(p, "bytecode_offset_slot", UINT16_MAX),
		.shared_off = (u16)get_number(p, "shared_off", UINT16_MAX),
		.exit_marker = (u16)get_some(p, "exit_marker"),
		.jspi_marker = (u16)get_some(p, "jspi_marker"),
		.deopt_caller_off = (u16)get_some(p, "deopt_caller_off"),
		.deopt_from_off = (u16)get_some(p, "deopt_from_off"),
		.deopt_pushed_len = (u16)get_some(p, "deopt_pushed_len"),
	};
#define X(field) v8->async.field = (typeof(v8->async.field))get_some(p, #field);
	CASE_ASYNC_FIELDS(X)
#undef X
	for (u32 i = 0; i < V8_ASYNC_N_TYPES; i++)
		v8->async.types[i] = (u16)get_some(p, case_async_type_words[i]);
}

static s32 get_signed(struct parse *p, const char *key, s32 min, s32 max)
{
	const json_t *value = json_object_get(p->item, key);
	json_int_t n = json_integer_value(value);

	if (json_is_integer(value) && n >= min && n <= max)
		return (s32)n;
	wrong(p, key, "is no number, or none that can be");
	return 0;
}

static void take_row(struct parse *p, void *to)
{
	*(struct case_row *)to = (struct case_row){
		.module = (u32)get_number(p, "module", UINT32_MAX),
		.file_off = get_hex(p, "off"),
		.rule = {
			.cfa = get_word(p, "cfa", case_cfa_words),
			.cfa_off = get_signed(p, "cfa_off", INT32_MIN, INT32_MAX),
			.cfa_add = (s8)get_signed(p, "cfa_add", INT8_MIN, INT8_MAX),
			.ra = get_word(p, "ra", case_saved_words),
			.ra_off = get_signed(p, "ra_off", INT32_MIN, INT32_MAX),
			.fp = get_word(p, "fp", case_saved_words),
			.fp_off = get_signed(p, "fp_off", INT32_MIN, INT32_MAX),
		},
	};
}

static void take_range(struct parse *p, void *to)
{
	*(struct case_range *)to = (struct case_range){
		.addr = get_hex(p, "addr"),
		.len = get_number(p, "len", CASE_MAX_LEN),
		.origin = get_word(p, "from", case_origin_words),
		.holds = get_word(p, "holds", case_holds_words),
	};
}

static void take_fault(struct parse *p, void *to)
{
	*(struct case_fault *)to = (struct case_fault){ get_hex(p, "addr"), get_hex(p, "len") };
}

static void take_read(struct parse *p, void *to)
{
	*(struct case_read *)to = (struct case_read){
		.addr = get_hex(p, "addr"),
		.len = (u32)get_number(p, "len", CASE_PAGE_LEN),
		.is_fault = get_true(p, "fault"),
	};
}

static void take_function(struct parse *p, void *to)
{
	*(struct case_function *)to = (struct case_function){
		.name = get_text(p, "name"),
		.start_addr = get_hex(p, "start"),
		.len = get_number(p, "len", INT64_MAX),
	};
}

static void take_walk_frame(struct parse *p, void *to)
{
	*(struct uw_frame *)to = (struct uw_frame){
		.pc = get_hex(p, "pc"),
		.a = get_hex(p, "a"),
		.b = get_hex(p, "b"),
		.aux = (u32)get_number(p, "aux", UINT32_MAX),
		.kind = get_word(p, "kind", case_kind_words),
		.status = get_word(p, "status", case_status_words),
		.flags = get_flags(p, "flags", case_frame_flag_words),
	};
}

static void take_frame(struct parse *p, void *to)
{
	struct case_frame *f = to;

	f->pc = get_hex(p, "pc");
	f->kind = get_text(p, "kind");
	f->name = get_text(p, "name");
	f->file = get_text(p, "file");
	f->line = get_some(p, "line");
	f->column = get_some(p, "column");
	f->module = get_text(p, "module");
	f->build_id = get_text(p, "build_id");
	if (json_object_get(p->item, "off"))
		f->off = get_hex(p, "off");
	f->tier = get_text(p, "tier");
	f->inlined = get_true(p, "inlined");
	f->async = get_true(p, "async");
	f->guess = get_true(p, "guess");
	f->reason = get_text(p, "reason");
}

static struct case_walk *get_walk(struct parse *p, const json_t *json)
{
	struct case_walk *w = calloc(1, sizeof(*w));

	if (!w) {
		p->err = -ENOMEM;
		return NULL;
	}
	p->item = json;
	w->engine = get_text(p, "engine");
	w->status = get_word(p, "status", case_status_words);
	w->fault_addr = get_hex(p, "fault_addr");
	w->frames = get_list(p, json, "frames", sizeof(*w->frames), &w->n_frames, take_walk_frame);
	return w;
}

static struct case_truth *get_truth(struct parse *p, const json_t *json)
{
	const json_t *list = json_object_get(json, "pcs");
	struct case_truth *t = calloc(1, sizeof(*t));
	size_t n = json_array_size(list);
	u64 *pcs = calloc(n + 1, sizeof(*pcs));

	if (t)
		t->pcs = pcs;
	else
		free(pcs);
	if (!t || !pcs) {
		p->err = -ENOMEM;
		return t;
	}
	p->item = json;
	t->n_pcs = (u32)n;
	t->status = get_word(p, "status", case_status_words);
	for (size_t i = 0; i < n; i++)
		if (parse_hex(json_string_value(json_array_get(list, i)), &pcs[i]))
			wrong(p, "truth.pcs", "has one that is no \"0x...\"");
	return t;
}

static u64 get_extent(struct parse *p, const json_t *json)
{
	u64 first;

	if (!json)
		return 0;
	p->item = json;
	first = get_number(p, "first", CASE_MAX_MAPPINGS);
	return first << 32 | get_number(p, "count", CASE_MAX_MAPPINGS);
}

static void read_head(struct parse *p, const json_t *note, struct case_file *c)
{
	const char *arch;

	p->item = note;
	arch = get_text(p, "arch");
	for (c->arch = 0; c->arch < CASE_N_ARCHS; c->arch++)
		if (arch && !strcmp(arch, case_arch_name(c->arch)))
			break;
	if (c->arch == CASE_N_ARCHS)
		wrong(p, "arch", "is none that is known");
	c->version = get_text(p, "unspool");
	c->runtime = get_text(p, "runtime");
	c->pid = get_some(p, "pid");
	c->tid = get_some(p, "tid");
	c->is_redacted = get_true(p, "redacted");
	c->va_mask = get_hex(p, "va_mask");
	c->extent = get_extent(p, json_object_get(note, "extent"));
	p->item = json_object_get(note, "registers");
	c->regs.pc = get_hex(p, "pc");
	c->regs.sp = get_hex(p, "sp");
	c->regs.fp = get_hex(p, "fp");
	c->regs.lr = get_hex(p, "lr");
	c->regs.has_all = get_true(p, "others");
}

static void read_lists(struct parse *p, const json_t *note, struct case_file *c)
{
	const json_t *expected = json_object_get(note, "expected");

	c->mappings =
		get_list(p, note, "mappings", sizeof(*c->mappings), &c->n_mappings, take_mapping);
	c->v8_builds = get_list(p, note, "v8", sizeof(*c->v8_builds), &c->n_v8_builds, take_v8);
	c->rows = get_list(p, note, "rows", sizeof(*c->rows), &c->n_rows, take_row);
	c->ranges = get_list(p, note, "memory", sizeof(*c->ranges), &c->n_ranges, take_range);
	c->faults = get_list(p, note, "faults", sizeof(*c->faults), &c->n_faults, take_fault);
	c->reads = get_list(p, note, "reads", sizeof(*c->reads), &c->n_reads, take_read);
	c->functions = get_list(p, note, "functions", sizeof(*c->functions), &c->n_functions,
				take_function);
	c->frames = get_list(p, expected, "frames", sizeof(*c->frames), &c->n_frames, take_frame);
}

int case_note_read(const json_t *note, struct case_file *c, struct case_error *why)
{
	struct parse p = { .item = note, .why = why };
	const json_t *walk = json_object_get(note, "walk"), *truth = json_object_get(note, "truth");
	u64 format = get_number(&p, "format", UINT32_MAX);

	if (!p.err && format != CASE_FORMAT)
		return case_fail(why, -ENOTSUP, NULL,
				 "is a case of format %llu; this unspool reads format %u", format,
				 CASE_FORMAT);
	read_head(&p, note, c);
	read_lists(&p, note, c);
	if (walk && !p.err)
		c->walk = get_walk(&p, walk);
	if (truth && !p.err)
		c->truth = get_truth(&p, truth);
	return p.err;
}

void case_note_deinit(struct case_file *c)
{
	if (c->walk)
		free((void *)c->walk->frames);
	if (c->truth)
		free((void *)c->truth->pcs);
	free((void *)c->walk);
	free((void *)c->truth);
	free((void *)c->mappings);
	free((void *)c->v8_builds);
	free((void *)c->rows);
	free((void *)c->ranges);
	free((void *)c->faults);
	free((void *)c->reads);
	free((void *)c->frames);
	free((void *)c->functions);
}
