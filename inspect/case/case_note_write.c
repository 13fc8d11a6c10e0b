// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes the note of a case: everything except memory, as named values that programs and reviewers
 * can read. Addresses are strings ("0x..."), because a JSON number cannot hold 64 bits. Unknown
 * values are omitted.
 */

#include "case_format.h"

#include "../util/json_memory.h"

#include <stdlib.h>
#include <string.h>

/* The note under construction, which also records whether an allocation failed. */
struct note {
	const struct case_file *c;
	bool failed;
};

static void put(struct note *n, json_t *to, const char *key, json_t *value)
{
	if (json_object_set_new_nocheck(to, key, value))
		n->failed = true;
}

static void append(struct note *n, json_t *to, json_t *value)
{
	if (json_array_append_new(to, value))
		n->failed = true;
}

/*
 * Formats "0x...". Does not use json_sprintf(), which would format each of the many values twice.
 */
static json_t *hex(u64 value)
{
	char text[20];

	return json_stringn_nocheck(text, (size_t)snprintf(text, sizeof(text), "0x%llx", value));
}

/* Replaces each byte that is not ASCII, or is DEL, by U+FFFD. */
static json_t *replace_invalid(const char *s)
{
	char *text = malloc(3 * strlen(s) + 1), *to = text;
	json_t *json;

	if (!text)
		return NULL;
	for (; *s; s++) {
		if ((u8)*s < 0x7f)
			*to++ = *s;
		else
			to = stpcpy(to, "\xef\xbf\xbd");
	}
	*to = '\0';
	json = json_string(text);
	free(text);
	return json;
}

/* Tries twice, so that one failed allocation is not taken for invalid UTF-8. */
static void put_text(struct note *n, json_t *to, const char *key, const char *s)
{
	json_t *text = NULL;

	if (!s)
		return;
	for (u32 i = 0; i < 2 && !text && !strchr(s, 0x7f); i++)
		text = json_string(s);
	put(n, to, key, text ? text : replace_invalid(s));
}

static void put_hex(struct note *n, json_t *to, const char *key, u64 value)
{
	put(n, to, key, hex(value));
}

static void put_number(struct note *n, json_t *to, const char *key, u64 value)
{
	put(n, to, key, json_integer((json_int_t)value));
}

/* Adds a number; omits 0. */
static void put_some(struct note *n, json_t *to, const char *key, u64 value)
{
	if (value)
		put_number(n, to, key, value);
}

static void put_true(struct note *n, json_t *to, const char *key, bool flag)
{
	if (flag)
		put(n, to, key, json_true());
}

static void put_flags(struct note *n, json_t *to, const char *key, u8 flags,
		      const char *const *words)
{
	json_t *list = json_array();

	for (u32 bit = 0; words[bit]; bit++)
		if (flags & 1 << bit)
			append(n, list, json_string(words[bit]));
	put(n, to, key, list);
}

/* Makes a list of @n objects and adds it to @note; an empty list is omitted. */
static void put_list(struct note *n, json_t *note, const char *key, u32 count,
		     void (*fill)(struct note *n, json_t *item, u32 i))
{
	json_t *list = count ? json_array() : NULL;

	for (u32 i = 0; i < count; i++) {
		json_t *item = json_object();

		fill(n, item, i);
		append(n, list, item);
	}
	if (count)
		put(n, note, key, list);
}

static void fill_mapping(struct note *n, json_t *item, u32 i)
{
	const struct case_mapping *m = &n->c->mappings[i];

	put_hex(n, item, "start", m->map.start_addr);
	put_hex(n, item, "end", m->map.end_addr);
	put_hex(n, item, "file_off", m->map.file_off);
	put_number(n, item, "module", m->map.module);
	put_text(n, item, "kind", case_map_kind_words[m->map.kind]);
	put_number(n, item, "info", m->map.info_idx);
	put_text(n, item, "path", m->path);
	put_text(n, item, "build_id", m->build_id);
}

static void fill_v8(struct note *n, json_t *item, u32 i)
{
	const struct v8_info *v8 = &n->c->v8_builds[i];

	put_number(n, item, "bytecode_array_slot", v8->bytecode_array_slot);
	put_number(n, item, "bytecode_offset_slot", v8->bytecode_offset_slot);
	put_number(n, item, "shared_off", v8->shared_off);
	put_some(n, item, "exit_marker", v8->exit_marker);
	put_some(n, item, "jspi_marker", v8->jspi_marker);
	put_some(n, item, "deopt_caller_off", v8->deopt_caller_off);
	put_some(n, item, "deopt_from_off", v8->deopt_from_off);
	put_some(n, item, "deopt_pushed_len", v8->deopt_pushed_len);
#define X(field) put_some(n, item, #field, v8->async.field);
	CASE_ASYNC_FIELDS(X)
#undef X
	for (u32 i = 0; i < V8_ASYNC_N_TYPES; i++)
		put_some(n, item, case_async_type_words[i], v8->async.types[i]);
}

static void put_signed(struct note *n, json_t *to, const char *key, s32 value)
{
	put(n, to, key, json_integer(value));
}

static void fill_row(struct note *n, json_t *item, u32 i)
{
	const struct case_row *row = &n->c->rows[i];
	const struct uw_rule *r = &row->rule;

	put_number(n, item, "module", row->module);
	put_hex(n, item, "off", row->file_off);
	put_text(n, item, "cfa", case_cfa_words[r->cfa]);
	put_signed(n, item, "cfa_off", r->cfa_off);
	put_signed(n, item, "cfa_add", r->cfa_add);
	put_text(n, item, "ra", case_saved_words[r->ra]);
	put_signed(n, item, "ra_off", r->ra_off);
	put_text(n, item, "fp", case_saved_words[r->fp]);
	put_signed(n, item, "fp_off", r->fp_off);
}

static void fill_range(struct note *n, json_t *item, u32 i)
{
	const struct case_range *r = &n->c->ranges[i];

	put_hex(n, item, "addr", r->addr);
	put_number(n, item, "len", r->len);
	put_text(n, item, "from", case_origin_words[r->origin]);
	put_text(n, item, "holds", case_holds_words[r->holds]);
}

static void fill_fault(struct note *n, json_t *item, u32 i)
{
	put_hex(n, item, "addr", n->c->faults[i].addr);
	put_hex(n, item, "len", n->c->faults[i].len);
}

static void fill_read(struct note *n, json_t *item, u32 i)
{
	put_hex(n, item, "addr", n->c->reads[i].addr);
	put_number(n, item, "len", n->c->reads[i].len);
	put_true(n, item, "fault", n->c->reads[i].is_fault);
}

static void fill_function(struct note *n, json_t *item, u32 i)
{
	put_text(n, item, "name", n->c->functions[i].name);
	put_hex(n, item, "start", n->c->functions[i].start_addr);
	put_number(n, item, "len", n->c->functions[i].len);
}

static void fill_walk_frame(struct note *n, json_t *item, u32 i)
{
	const struct uw_frame *f = &n->c->walk->frames[i];

	put_hex(n, item, "pc", f->pc);
	put_text(n, item, "kind", case_kind_words[f->kind]);
	put_hex(n, item, "a", f->a);
	put_hex(n, item, "b", f->b);
	put_number(n, item, "aux", f->aux);
	put_text(n, item, "status", case_status_words[f->status]);
	put_flags(n, item, "flags", f->flags, case_frame_flag_words);
}

static json_t *walk_json(struct note *n, const struct case_walk *w)
{
	json_t *walk = json_object();

	put_text(n, walk, "engine", w->engine);
	put_text(n, walk, "status", case_status_words[w->status]);
	put_hex(n, walk, "fault_addr", w->fault_addr);
	put_list(n, walk, "frames", w->n_frames, fill_walk_frame);
	return walk;
}

static void fill_frame(struct note *n, json_t *item, u32 i)
{
	const struct case_frame *f = &n->c->frames[i];

	put_hex(n, item, "pc", f->pc);
	put_text(n, item, "kind", f->kind);
	put_text(n, item, "name", f->name);
	put_text(n, item, "file", f->file);
	put_some(n, item, "line", f->line);
	put_some(n, item, "column", f->column);
	put_text(n, item, "module", f->module);
	put_text(n, item, "build_id", f->build_id);
	if (!f->name && (f->off || f->module))
		put_hex(n, item, "off", f->off);
	put_text(n, item, "tier", f->tier);
	put_true(n, item, "inlined", f->inlined);
	put_true(n, item, "async", f->async);
	put_true(n, item, "guess", f->guess);
	put_text(n, item, "reason", f->reason);
}

/* Fills @item with frame @i of the walk, as in a profile but without names. */
static void fill_unnamed(struct note *n, json_t *item, u32 i)
{
	const struct uw_frame *f = &n->c->walk->frames[i];

	put_hex(n, item, "pc", f->pc);
	put_text(n, item, "kind", case_profile_kind(f->kind));
	if (f->kind == UW_NATIVE)
		put_hex(n, item, "off", f->a);
	put_true(n, item, "guess", f->flags & UW_FRAME_GUESS);
	if (f->status)
		put_text(n, item, "reason", case_status_words[f->status]);
}

static json_t *expected_json(struct note *n, const struct case_walk *w)
{
	json_t *expected = json_object();

	put_text(n, expected, "status", case_status_class(w->status));
	if (w->status != UW_END)
		put_text(n, expected, "reason", case_status_words[w->status]);
	if (n->c->n_frames)
		put_list(n, expected, "frames", n->c->n_frames, fill_frame);
	else
		put_list(n, expected, "frames", w->n_frames, fill_unnamed);
	return expected;
}

static json_t *truth_json(struct note *n, const struct case_truth *truth)
{
	json_t *json = json_object(), *pcs = json_array();

	for (u32 i = 0; i < truth->n_pcs; i++)
		append(n, pcs, hex(truth->pcs[i]));
	put(n, json, "pcs", pcs);
	put_text(n, json, "status", case_status_words[truth->status]);
	return json;
}

static json_t *registers_json(struct note *n, const struct case_regs *r)
{
	json_t *regs = json_object();

	put_hex(n, regs, "pc", r->pc);
	put_hex(n, regs, "sp", r->sp);
	put_hex(n, regs, "fp", r->fp);
	put_hex(n, regs, "lr", r->lr);
	put_true(n, regs, "others", r->has_all);
	return regs;
}

static json_t *extent_json(struct note *n, u64 extent)
{
	json_t *json = json_object();

	put_number(n, json, "first", extent >> 32);
	put_number(n, json, "count", (u32)extent);
	return json;
}

static void put_head(struct note *n, json_t *note, const struct case_file *c)
{
	put_number(n, note, "format", CASE_FORMAT);
	put_text(n, note, "unspool", c->version ? c->version : UNSPOOL_VERSION);
	put_text(n, note, "arch", case_arch_name(c->arch));
	put_text(n, note, "runtime", c->runtime);
	put_some(n, note, "pid", c->pid);
	put_some(n, note, "tid", c->tid);
	put_true(n, note, "redacted", c->is_redacted);
	put(n, note, "registers", registers_json(n, &c->regs));
	put_hex(n, note, "va_mask", c->va_mask);
	if (c->extent)
		put(n, note, "extent", extent_json(n, c->extent));
}

static void put_lists(struct note *n, json_t *note, const struct case_file *c)
{
	put_list(n, note, "mappings", c->n_mappings, fill_mapping);
	put_list(n, note, "v8", c->n_v8_builds, fill_v8);
	put_list(n, note, "rows", c->n_rows, fill_row);
	put_list(n, note, "functions", c->n_functions, fill_function);
	if (c->walk)
		put(n, note, "walk", walk_json(n, c->walk));
	put_list(n, note, "reads", c->n_reads, fill_read);
	put_list(n, note, "memory", c->n_ranges, fill_range);
	put_list(n, note, "faults", c->n_faults, fill_fault);
}

json_t *case_note_json(const struct case_file *c)
{
	struct note n = { .c = c };
	json_t *note = json_object();

	if (!note)
		return NULL;
	put_head(&n, note, c);
	if (c->walk)
		put(&n, note, "expected", expected_json(&n, c->walk));
	if (c->truth)
		put(&n, note, "truth", truth_json(&n, c->truth));
	put_lists(&n, note, c);
	if (!n.failed)
		return note;
	json_decref(note);
	return NULL;
}

char *case_note_dump(const struct case_file *c, size_t flags, size_t *len)
{
	json_t *note = case_note_json(c);
	char *text = json_memory_dumps(note, flags);

	if (text)
		*len = strlen(text);
	json_decref(note);
	return text;
}
