/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * A layout is made from the rows of all versions up to this one (v8_versions.c), from the binary's
 * metadata, and from fields derived from both.
 */

#include <stdint.h>
#include <string.h>

#include "v8_layout.h"
#include "v8_translation.h"

#include "../util/search.h"

s32 v8_meta_get(const struct v8_meta *meta, size_t n, const char *name, s32 missing)
{
	size_t low = search_first(n, i, strcmp(meta[i].name, name) < 0), len = strlen(name);

	if (low == n || strncmp(meta[low].name, name, len))
		return missing;
	return name[len - 1] == '_' || !meta[low].name[len] ? meta[low].value : missing;
}

/* Sets a field from metadata. All values are small and non-negative: offsets, indices, types. */
static bool overlay(u16 *field, const char *symbol, const struct v8_meta *meta, size_t n)
{
	s32 value = v8_meta_get(meta, n, symbol, *field ? *field : -1);

	if (value < 0 || value > UINT16_MAX)
		return false;
	*field = (u16)value;
	return true;
}

static const char *check_tagging(const struct v8_meta *meta, size_t n)
{
	if (v8_meta_get(meta, n, "TaggedSize", 8) != 8)
		return "pointer compression is not supported";
	if (v8_meta_get(meta, n, "SmiShiftSize", 31) != 31)
		return "31-bit small integers are not supported";
	return NULL;
}

/* Clears fields that v8_probe.c does not check. */
static void distrust(struct v8_layout *l)
{
	l->deopt_form = V8_DEOPT_UNKNOWN;
	l->deopt_entries = 0;
	l->lacks[V8_TIER_MAGLEV] &= (u16)~V8_NO_POSITIONS;
	l->scope_static_kind = 0;
}

static void set(struct v8_layout *l, const struct v8_delta *d)
{
	memcpy((u8 *)l + d->field_off, &d->value, sizeof(d->value));
}

void v8_layout_sum(struct v8_layout *l, u32 version, const struct v8_deltas *t)
{
	u32 at = version < t->rows[0].since ? t->rows[0].since : version;
	bool is_same = false; /* there is no row after the last tested version */

	*l = (struct v8_layout){ 0 };
	for (size_t i = 0; i < t->n; i++) {
		const struct v8_delta *d = &t->rows[i];

		if (d->field_off != V8_TRIED) {
			is_same = false;
			if (d->since <= at)
				set(l, d);
		} else if (d->since <= at) {
			is_same = true;
			l->version = d->since;
		} else {
			if (is_same)
				l->version = at;
			break;
		}
	}
	if (l->version != version)
		distrust(l);
}

/* Derives fields that the metadata lacks. */
static void derive(struct v8_layout *l)
{
	l->script_line_offset = l->script_name + 8;
	l->script_column_offset = l->script_name + 16;
	l->script_id = l->script_line_ends + 8;
	l->bytecode_offset_slot = l->bytecode_array_slot + 8;
	if (!l->code_positions)
		l->code_positions = l->code_deopt + 8;
	if (!l->deopt_literals_idx)
		l->deopt_literals_idx = l->deopt_inlining_idx - 5;
	if (!l->deopt_sfi_idx)
		l->deopt_sfi_idx = l->deopt_inlining_idx - 1;
	if (l->deopt_entries)
		l->deopt_entries_idx = l->deopt_inlining_idx + l->deopt_entries;
}

const char *v8_layout_init(struct v8_layout *layout, const struct v8_deltas *t, u32 version,
			   const struct v8_meta *meta, size_t n)
{
	const char *why = check_tagging(meta, n);
	struct v8_layout l;

	if (why)
		return why;
	v8_layout_sum(&l, version, t);
#define X(field, symbol)                                                                           \
	if (!overlay(&l.field, symbol, meta, n))                                                   \
		return "the metadata lacks " symbol;
	V8_LAYOUT_FIELDS(X)
#undef X
#define X(field, symbol) overlay(&l.field, symbol, meta, n);
	V8_LAYOUT_OPTIONAL(X)
#undef X
	derive(&l);
	*layout = l;
	return NULL;
}
