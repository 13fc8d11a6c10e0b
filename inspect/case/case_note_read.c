// SPDX-License-Identifier: BSD-2-Clause

/*
 * Reads a note into a case. The first error is reported with its place in the note; values read
 * after it are zero and unused. Unknown keys are ignored, so that later versions can add keys.
 */

#include "case_note_fields.h"

#include "../util/reasons.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void take_mapping(struct note_parse *p, void *to)
{
	*(struct case_mapping *)to = (struct case_mapping){
		.map = {
			.start_addr = note_get_hex(p, "start"),
			.end_addr = note_get_hex(p, "end"),
			.file_off = note_get_hex(p, "file_off"),
			.module = (u32)note_get_number(p, "module", UINT32_MAX),
			.kind = note_get_word(p, "kind", case_map_kind_words),
			.info_idx = (u16)note_get_number(p, "info", UINT16_MAX),
		},
		.path = note_get_text(p, "path"),
		.build_id = note_get_text(p, "build_id"),
	};
}

static void take_v8(struct note_parse *p, void *to)
{
	struct v8_info *v8 = to;

	*v8 = (struct v8_info){
		.bytecode_array_slot = (u16)note_get_number(p, "bytecode_array_slot", UINT16_MAX),
		.bytecode_offset_slot = (u16)note_get_number(p, "bytecode_offset_slot", UINT16_MAX),
		.shared_off = (u16)note_get_number(p, "shared_off", UINT16_MAX),
		.exit_marker = (u16)note_get_some(p, "exit_marker"),
		.jspi_marker = (u16)note_get_some(p, "jspi_marker"),
		.deopt_caller_off = (u16)note_get_some(p, "deopt_caller_off"),
		.deopt_from_off = (u16)note_get_some(p, "deopt_from_off"),
		.deopt_pushed_len = (u16)note_get_some(p, "deopt_pushed_len"),
	};
#define X(field) v8->async.field = (typeof(v8->async.field))note_get_some(p, #field);
	CASE_ASYNC_FIELDS(X)
#undef X
	for (u32 i = 0; i < V8_ASYNC_N_TYPES; i++)
		v8->async.types[i] = (u16)note_get_some(p, case_async_type_words[i]);
}

static void take_row(struct note_parse *p, void *to)
{
	*(struct case_row *)to = (struct case_row){
		.module = (u32)note_get_number(p, "module", UINT32_MAX),
		.file_off = note_get_hex(p, "off"),
		.rule = {
			.cfa = note_get_word(p, "cfa", case_cfa_words),
			.cfa_off = note_get_signed(p, "cfa_off", INT32_MIN, INT32_MAX),
			.cfa_add = (s8)note_get_signed(p, "cfa_add", INT8_MIN, INT8_MAX),
			.ra = note_get_word(p, "ra", case_saved_words),
			.ra_off = note_get_signed(p, "ra_off", INT32_MIN, INT32_MAX),
			.fp = note_get_word(p, "fp", case_saved_words),
			.fp_off = note_get_signed(p, "fp_off", INT32_MIN, INT32_MAX),
		},
	};
}

static void take_range(struct note_parse *p, void *to)
{
	*(struct case_range *)to = (struct case_range){
		.addr = note_get_hex(p, "addr"),
		.len = note_get_number(p, "len", CASE_MAX_LEN),
		.origin = note_get_word(p, "from", case_origin_words),
		.holds = note_get_word(p, "holds", case_holds_words),
	};
}

static void take_fault(struct note_parse *p, void *to)
{
	*(struct case_fault *)to =
		(struct case_fault){ note_get_hex(p, "addr"), note_get_hex(p, "len") };
}

static void take_read(struct note_parse *p, void *to)
{
	*(struct case_read *)to = (struct case_read){
		.addr = note_get_hex(p, "addr"),
		.len = (u32)note_get_number(p, "len", CASE_PAGE_LEN),
		.is_fault = note_get_true(p, "fault"),
	};
}

static void take_function(struct note_parse *p, void *to)
{
	*(struct case_function *)to = (struct case_function){
		.name = note_get_text(p, "name"),
		.start_addr = note_get_hex(p, "start"),
		.len = note_get_number(p, "len", INT64_MAX),
	};
}

static void take_walk_frame(struct note_parse *p, void *to)
{
	*(struct uw_frame *)to = (struct uw_frame){
		.pc = note_get_hex(p, "pc"),
		.a = note_get_hex(p, "a"),
		.b = note_get_hex(p, "b"),
		.aux = (u32)note_get_number(p, "aux", UINT32_MAX),
		.kind = note_get_word(p, "kind", case_kind_words),
		.status = note_get_status(p, "status"),
		.flags = note_get_flags(p, "flags", case_frame_flag_words),
	};
}

static void take_frame(struct note_parse *p, void *to)
{
	struct case_frame *f = to;

	f->pc = note_get_hex(p, "pc");
	f->kind = note_get_text(p, "kind");
	f->name = note_get_text(p, "name");
	f->file = note_get_text(p, "file");
	f->line = note_get_some(p, "line");
	f->column = note_get_some(p, "column");
	f->module = note_get_text(p, "module");
	f->build_id = note_get_text(p, "build_id");
	if (json_object_get(p->item, "off"))
		f->off = note_get_hex(p, "off");
	f->tier = note_get_text(p, "tier");
	f->inlined = note_get_true(p, "inlined");
	f->async = note_get_true(p, "async");
	f->guess = note_get_true(p, "guess");
	f->reason = reason_current(note_get_text(p, "reason"));
}

static struct case_walk *get_walk(struct note_parse *p, const json_t *json)
{
	struct case_walk *w = calloc(1, sizeof(*w));

	if (!w) {
		p->err = -ENOMEM;
		return NULL;
	}
	p->item = json;
	w->engine = note_get_text(p, "engine");
	w->status = note_get_status(p, "status");
	w->fault_addr = note_get_hex(p, "fault_addr");
	w->frames =
		note_get_list(p, json, "frames", sizeof(*w->frames), &w->n_frames, take_walk_frame);
	return w;
}

static struct case_truth *get_truth(struct note_parse *p, const json_t *json)
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
	t->status = note_get_status(p, "status");
	for (size_t i = 0; i < n; i++)
		if (note_parse_hex(json_string_value(json_array_get(list, i)), &pcs[i]))
			note_wrong(p, "truth.pcs", "has an item that is not \"0x...\"");
	return t;
}

static u64 get_extent(struct note_parse *p, const json_t *json)
{
	u64 first;

	if (!json)
		return 0;
	p->item = json;
	first = note_get_number(p, "first", CASE_MAX_MAPPINGS);
	return first << 32 | note_get_number(p, "count", CASE_MAX_MAPPINGS);
}

static void read_head(struct note_parse *p, const json_t *note, struct case_file *c)
{
	const char *arch;

	p->item = note;
	arch = note_get_text(p, "arch");
	for (c->arch = 0; c->arch < CASE_N_ARCHS; c->arch++)
		if (arch && !strcmp(arch, case_arch_name(c->arch)))
			break;
	if (c->arch == CASE_N_ARCHS)
		note_wrong(p, "arch", "is unknown");
	c->version = note_get_text(p, "unspool");
	c->runtime = note_get_text(p, "runtime");
	c->pid = note_get_some(p, "pid");
	c->tid = note_get_some(p, "tid");
	c->is_redacted = note_get_true(p, "redacted");
	c->va_mask = note_get_hex(p, "va_mask");
	c->extent = get_extent(p, json_object_get(note, "extent"));
	p->item = json_object_get(note, "registers");
	c->regs.pc = note_get_hex(p, "pc");
	c->regs.sp = note_get_hex(p, "sp");
	c->regs.fp = note_get_hex(p, "fp");
	c->regs.lr = note_get_hex(p, "lr");
	c->regs.has_all = note_get_true(p, "others");
}

static void read_lists(struct note_parse *p, const json_t *note, struct case_file *c)
{
	const json_t *expected = json_object_get(note, "expected");

	c->mappings = note_get_list(p, note, "mappings", sizeof(*c->mappings), &c->n_mappings,
				    take_mapping);
	c->v8_builds =
		note_get_list(p, note, "v8", sizeof(*c->v8_builds), &c->n_v8_builds, take_v8);
	c->rows = note_get_list(p, note, "rows", sizeof(*c->rows), &c->n_rows, take_row);
	c->ranges = note_get_list(p, note, "memory", sizeof(*c->ranges), &c->n_ranges, take_range);
	c->faults = note_get_list(p, note, "faults", sizeof(*c->faults), &c->n_faults, take_fault);
	c->reads = note_get_list(p, note, "reads", sizeof(*c->reads), &c->n_reads, take_read);
	c->functions = note_get_list(p, note, "functions", sizeof(*c->functions), &c->n_functions,
				     take_function);
	c->frames =
		note_get_list(p, expected, "frames", sizeof(*c->frames), &c->n_frames, take_frame);
}

int case_note_read(const json_t *note, struct case_file *c, struct case_error *why)
{
	struct note_parse p = { .item = note, .why = why };
	const json_t *walk = json_object_get(note, "walk"), *truth = json_object_get(note, "truth");
	u64 format = note_get_number(&p, "format", UINT32_MAX);

	if (!p.err && format != CASE_FORMAT)
		return case_fail(why, -ENOTSUP, NULL,
				 "case format %llu is not supported; this unspool reads format %u",
				 format, CASE_FORMAT);
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
