/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The table below has what the metadata of each version lacks. It was measured
 * on live processes of the official builds of Node.js 18.20.8 (V8 10.2.154.26),
 * 20.20.2 (11.3.244.8), 22.23.3 (12.4.254.21), 24.21.0 (13.6.233.17) and 26.10.0
 * (14.6.202.34); tests/inspect/live_v8.c is what holds it to them. Beside them,
 * 14.5.0 and 14.21.3 (8.3, 8.4), 15.14.0 (8.6), 16.0.0, 16.5.0, 16.7.0, 16.9.1 and 16.20.2 (9.0 to
 * 9.4), 17.0.0 and 17.9.1 (9.5, 9.6), 18.0.0 (10.1), 19.0.0 and 19.8.1 (10.7, 10.8), 21.7.3
 * (11.8), 23.11.1 (12.9) and 25.9.0 (14.1) were tried by hand. Numbers of kinds of code and where
 * the flags are were also read off the functions CodeKindToString() and SafepointTable() of those
 * before 9.4.
 */

#include <stdint.h>
#include <string.h>

#include "v8_layout.h"
#include "v8_translation.h"

#include "../util/search.h"

static const struct {
	u32 first, last;
	struct v8_layout layout;
} known[] = {
	{ V8_VERSION(8, 3),
	  V8_VERSION(8, 4),
	  { .bytecode_data = 54,
	    .code_flags = 44,
	    .code_positions = 24,
	    .code_deopt = 16,
	    .code_kind_mask = 31 << 1,
	    .code_kind_shift = 1,
	    .code_kind_baseline = V8_NO_BASELINE_KIND,
	    .scope_slots = 16,
	    .scope_is_old = 1,
	    .bytecode_array_slot = 24,
	    .bytecode_offset_slot = 32,
	    .deopt_literals_idx = 2,
	    .deopt_inlining_idx = 7,
	    .deopt_sfi_idx = 6,
	    .deopt_caller = 0x50,
	    .deopt_from = 0x20,
	    .deopt_pushed = 256,
	    .deopt_form = V8_DEOPT_8_4,
	    .deopt_entries_idx = 10,
	    .code_safepoints = 48,
	    .wasm_code_len = 32,
	    .wasm_code_function = 48,
	    .wasm_has_no_fresh = 1,
	    .calls_have_wrong_positions = 1 } },
	{ V8_VERSION(8, 6),
	  V8_VERSION(8, 6),
	  { .script_source = 8,
	    .bytecode_data = 54,
	    .code_flags = 44,
	    .code_positions = 24,
	    .code_deopt = 16,
	    .code_kind_mask = 15 << 1,
	    .code_kind_shift = 1,
	    .code_kind_baseline = V8_NO_BASELINE_KIND,
	    .scope_slots = 16,
	    .scope_is_old = 1,
	    .bytecode_array_slot = 24,
	    .bytecode_offset_slot = 32,
	    .deopt_literals_idx = 2,
	    .deopt_inlining_idx = 7,
	    .deopt_sfi_idx = 6,
	    .deopt_caller = 0x50,
	    .deopt_from = 0x20,
	    .deopt_pushed = 256,
	    .deopt_form = V8_DEOPT_8_4,
	    .deopt_entries_idx = 10,
	    .code_safepoints = 48,
	    .wasm_code_len = 32,
	    .wasm_code_function = 48,
	    .wasm_has_no_fresh = 1,
	    .calls_have_wrong_positions = 1 } },
	{ V8_VERSION(9, 0),
	  V8_VERSION(9, 0),
	  { .script_source = 8,
	    .bytecode_data = 54,
	    .bytecode_positions = 32,
	    .code_flags = 48,
	    .code_positions = 24,
	    .code_deopt = 16,
	    .code_kind_mask = 15,
	    .code_kind_baseline = 11,
	    .baseline_is_older = 1,
	    .scope_slots = 16,
	    .scope_is_old = 1,
	    .deopt_literals_idx = 2,
	    .deopt_inlining_idx = 7,
	    .deopt_sfi_idx = 6,
	    .wasm_code_len = 32,
	    .wasm_code_function = 48,
	    .deopt_caller = 0x50,
	    .deopt_from = 0x20,
	    .deopt_entries_idx = 11 } },
	{ V8_VERSION(9, 1),
	  V8_VERSION(9, 6),
	  { .script_source = 8,
	    .bytecode_data = 54,
	    .bytecode_positions = 32,
	    .code_flags = 48,
	    .code_deopt = 16,
	    .code_kind_mask = 15,
	    .code_kind_baseline = 11,
	    .scope_is_old = 1,
	    .deopt_literals_idx = 2,
	    .deopt_inlining_idx = 7,
	    .deopt_sfi_idx = 6,
	    .wasm_code_len = 32,
	    .wasm_code_function = 48,
	    .deopt_caller = 0x50,
	    .deopt_from = 0x20,
	    .deopt_entries_idx = 11 } },
	{ V8_VERSION(10, 1),
	  V8_VERSION(10, 8),
	  { .bytecode_positions = 32,
	    .code_positions = 24,
	    .code_deopt = 16,
	    .deopt_literals_idx = 2,
	    .deopt_inlining_idx = 7,
	    .deopt_sfi_idx = 6,
	    .wasm_code_len = 32,
	    .wasm_code_function = 48,
	    .deopt_caller = 0x50,
	    .deopt_from = 0x20,
	    .deopt_entries_idx = 11 } },
	{ V8_VERSION(11, 3),
	  V8_VERSION(11, 3),
	  { .bytecode_positions = 32,
	    .code_start = 40,
	    .code_size = 56,
	    .code_flags = 48,
	    .code_positions = 24,
	    .code_deopt = 16,
	    .wasm_code_len = 24,
	    .wasm_code_function = 44,
	    .deopt_caller = 0x60,
	    .deopt_from = 0x28,
	    .deopt_entries_idx = 11 } },
	{ V8_VERSION(11, 8),
	  V8_VERSION(11, 8),
	  { .bytecode_positions = 32,
	    .code_start = 32,
	    .code_size = 44,
	    .code_flags = 40,
	    .code_positions = 16,
	    .code_deopt = 8,
	    .scope_static_kind = 25,
	    .wasm_code_len = 24,
	    .wasm_code_function = 44,
	    .deopt_caller = 0x60,
	    .deopt_from = 0x28,
	    .deopt_entries_idx = 11 } },
	{ V8_VERSION(12, 4),
	  V8_VERSION(12, 4),
	  { .sfi_data = 8,
	    .bytecode_positions = 24,
	    .code_positions = 16,
	    .code_deopt = 8,
	    .scope_module_type = 3,
	    .scope_static_kind = 25,
	    .reaction_handler = 32,
	    .wasm_code_len = 24,
	    .wasm_code_function = 44,
	    .wasm_inlines = 1,
	    .deopt_caller = 0x60,
	    .deopt_from = 0x28,
	    .deopt_entries_idx = 11 } },
	{ V8_VERSION(12, 9),
	  V8_VERSION(12, 9),
	  { .sfi_data = 8,
	    .bytecode_positions = 24,
	    .code_positions = 16,
	    .code_deopt = 8,
	    .scope_module_type = 5,
	    .scope_static_kind = 25,
	    .sfi_builtin = 16,
	    .reaction_handler = 32,
	    .wasm_code_len = 24,
	    .wasm_code_function = 48,
	    .wasm_inlines = 1,
	    .deopt_caller = 0x68,
	    .deopt_from = 0x30,
	    .deopt_form = V8_DEOPT_12_9,
	    .deopt_entries_idx = 11,
	    .maglev_has_no_positions = 1 } },
	{ V8_VERSION(13, 6),
	  V8_VERSION(13, 6),
	  { .sfi_data = 8,
	    .bytecode_positions = 24,
	    .code_positions = 16,
	    .code_deopt = 8,
	    .scope_module_type = 5,
	    .scope_static_kind = 25,
	    .sfi_builtin = 16,
	    .reaction_handler = 32,
	    .wasm_code_len = 32,
	    .wasm_code_function = 56,
	    .wasm_inlines = 1,
	    .deopt_caller = 0x68,
	    .deopt_from = 0x30,
	    .deopt_form = V8_DEOPT_13_6,
	    .maglev_has_wrong_positions = 1,
	    .deopt_entries_idx = 12 } },
	{ V8_VERSION(14, 1),
	  V8_VERSION(14, 1),
	  { .sfi_data = 8,
	    .bytecode_positions = 24,
	    .code_positions = 16,
	    .code_deopt = 8,
	    .scope_module_type = 5,
	    .scope_static_kind = 25,
	    .positions_v14 = 1,
	    .sfi_builtin = 16,
	    .reaction_handler = 32,
	    .wasm_code_len = 32,
	    .wasm_code_function = 56,
	    .wasm_inlines = 1,
	    .deopt_caller = 0x68,
	    .deopt_from = 0x30,
	    .deopt_form = V8_DEOPT_13_6,
	    .maglev_has_wrong_positions = 1,
	    .deopt_entries_idx = 12 } },
	{ V8_VERSION(14, 6),
	  V8_VERSION(14, 6),
	  { .sfi_data = 8,
	    .bytecode_positions = 24,
	    .code_positions = 16,
	    .code_deopt = 8,
	    .scope_module_type = 5,
	    .scope_static_kind = 26,
	    .positions_v14 = 1,
	    .sfi_builtin = 16,
	    .reaction_handler = 32,
	    .wasm_code_len = 32,
	    .wasm_code_function = 56,
	    .wasm_inlines = 1,
	    .deopt_caller = 0x68,
	    .deopt_from = 0x30,
	    .deopt_form = V8_DEOPT_13_6,
	    .maglev_has_wrong_positions = 1,
	    .deopt_entries_idx = 12 } },
};

s32 v8_meta_get(const struct v8_meta *meta, size_t n, const char *name, s32 missing)
{
	size_t low = search_first(n, i, strcmp(meta[i].name, name) < 0), len = strlen(name);

	if (low == n || strncmp(meta[low].name, name, len))
		return missing;
	return name[len - 1] == '_' || !meta[low].name[len] ? meta[low].value : missing;
}

/* Everything is a small non-negative number: an offset, an index, a type. */
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

/* What no vote of v8_probe.c looks at: positions and names of functions count. */
static void distrust(struct v8_layout *l)
{
	l->deopt_form = V8_DEOPT_UNKNOWN;
	l->deopt_entries_idx = 0;
	l->maglev_has_no_positions = 0;
	l->scope_static_kind = 0;
}

static void set(struct v8_layout *l, const struct v8_delta *d)
{
	memcpy((u8 *)l + d->field_off, &d->value, sizeof(d->value));
}

void v8_layout_sum(struct v8_layout *l, u32 version, const struct v8_deltas *t)
{
	u32 at = version < t->rows[0].since ? t->rows[0].since : version;
	bool is_same = false; /* as the version that was tried last */

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

/* The table of the version, or of the nearest before it, or of the first. */
struct v8_layout v8_old_table(u32 version);
struct v8_layout v8_old_table(u32 version)
{
	struct v8_layout l;
	size_t i = sizeof(known) / sizeof(known[0]) - 1;

	while (i && known[i].first > version)
		i--;
	l = known[i].layout;
	l.version = version < known[i].first  ? known[i].first
		    : version > known[i].last ? known[i].last
					      : version;
	if (l.version != version)
		distrust(&l);
	if (!l.scope_slots)
		l.scope_slots = 8;
	if (!l.sfi_builtin)
		l.sfi_builtin = 8;
	if (!l.reaction_handler)
		l.reaction_handler = 24;
	if (!l.bytecode_array_slot) {
		l.bytecode_array_slot = 32;
		l.bytecode_offset_slot = 40;
	}
	return l;
}

const char *v8_layout_init(struct v8_layout *layout, u32 version, const struct v8_meta *meta,
			   size_t n)
{
	const char *why = check_tagging(meta, n);
	struct v8_layout l = v8_old_table(version);

	if (why)
		return why;
	if (!l.deopt_sfi_idx)
		l.deopt_sfi_idx = (u16)v8_meta_get(
			meta, n, "DeoptimizationDataWrappedSharedFunctionInfoIndex", 6);
#define X(field, symbol)                                                                           \
	if (!overlay(&l.field, symbol, meta, n))                                                   \
		return "the metadata lacks " symbol;
	V8_LAYOUT_FIELDS(X)
#undef X
#define X(field, symbol) overlay(&l.field, symbol, meta, n);
	V8_LAYOUT_OPTIONAL(X)
#undef X
	*layout = l;
	return NULL;
}
