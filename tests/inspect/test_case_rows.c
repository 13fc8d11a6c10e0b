/* SPDX-License-Identifier: BSD-2-Clause */

/* Selection of the unwind rows that a case must contain because the walk used them. */

#include <errno.h>
#include <stdlib.h>

#include "../../inspect/case/case_rows.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define MODULE 7
#define OFF 0x1240
#define PC 0x7f0000001240ull
#define BUILTINS 0x7f0000100000ull
#define JIT 0x7f0000200000ull

static const struct uw_mapping mappings[] = {
	{ .start_addr = BUILTINS,
	  .end_addr = JIT,
	  .file_off = 0x8000,
	  .module = 9,
	  .kind = UW_MAP_V8_BUILTINS },
	{ .start_addr = JIT, .end_addr = JIT + 0x10000, .module = 9, .kind = UW_MAP_V8_JIT },
};

static const struct uw_mapping *mapping(void *ctx, u64 pc)
{
	(void)ctx;
	for (size_t i = 0; i < N(mappings); i++)
		if (pc >= mappings[i].start_addr && pc < mappings[i].end_addr)
			return &mappings[i];
	return NULL;
}

/* Returns, for each module and offset, a rule whose fields contain the module and the offset. */
static const struct uw_rule *find(void *ctx, u32 module, u64 file_off)
{
	static struct uw_rule rule;

	(void)module;
	rule = (struct uw_rule){ .cfa = UW_CFA_SP, .cfa_off = (s32)file_off };
	return ctx ? NULL : &rule;
}

/* A frame, and the module and offset of the row for it; module 0: no row. */
static const struct {
	const char *what;
	struct uw_frame frame;
	u32 module;
	u64 off;
} frames[] = {
	{ "native, interrupted",
	  { .pc = PC, .kind = UW_NATIVE, .a = OFF, .aux = MODULE },
	  MODULE,
	  OFF },
	{ "native, a caller",
	  { .pc = PC, .kind = UW_NATIVE, .flags = UW_FRAME_RA, .a = OFF, .aux = MODULE },
	  MODULE,
	  OFF - 1 },
	{ "precompiled, interrupted",
	  { .pc = PC, .kind = UW_DOTNET_R2R, .a = OFF, .aux = MODULE },
	  MODULE,
	  OFF },
	{ "precompiled, a caller",
	  { .pc = PC, .kind = UW_DOTNET_R2R, .flags = UW_FRAME_RA, .a = OFF, .aux = MODULE },
	  MODULE,
	  OFF - 1 },
	{ "precompiled, the file's rows are not loaded",
	  { .pc = PC, .kind = UW_DOTNET_R2R, .flags = UW_FRAME_NO_ROWS, .a = OFF, .aux = MODULE },
	  0,
	  0 },
	{ "precompiled, in no mapped file", { .pc = PC, .kind = UW_DOTNET_R2R, .a = OFF }, 0, 0 },
	{ "JIT-compiled: field a is not an offset in a file",
	  { .pc = PC, .kind = UW_DOTNET_METHOD, .a = OFF, .aux = MODULE },
	  0,
	  0 },
	{ "a stub: field a is the kind of stub",
	  { .pc = PC, .kind = UW_DOTNET_STUB, .a = 5, .aux = MODULE },
	  0,
	  0 },
	{ "a builtin", { .pc = BUILTINS + 0x20, .kind = UW_V8_CODE }, 9, 0x8020 },
	{ "compiled JavaScript", { .pc = JIT + 0x20, .kind = UW_V8_JS }, 0, 0 },
	{ "an offset too large for a row",
	  { .pc = PC, .kind = UW_DOTNET_R2R, .a = UW_MAX_ROW_OFF, .aux = MODULE },
	  0,
	  0 },
};

static const struct case_rule_source source = { find, mapping, NULL };

static void each_kind_of_frame_gets_the_expected_unwind_row_in_the_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(frames); i++) {
		struct case_row *rows;
		u32 n;

		print_message("%s\n", frames[i].what);
		assert_int_equal(case_rows_used(&frames[i].frame, 1, &source, &rows, &n), 0);
		assert_int_equal(n, frames[i].module != 0);
		if (n) {
			assert_int_equal(rows[0].module, frames[i].module);
			assert_int_equal(rows[0].file_off, frames[i].off);
			assert_int_equal(rows[0].rule.cfa_off, frames[i].off);
		}
		free(rows);
	}
}

static void rows_are_sorted_and_unique(void **state)
{
	const struct uw_frame walked[] = { frames[8].frame, frames[3].frame, frames[2].frame,
					   frames[3].frame, frames[1].frame };
	struct case_row *rows;
	u32 n;

	(void)state;
	assert_int_equal(case_rows_used(walked, N(walked), &source, &rows, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(rows[0].file_off, OFF - 1);
	assert_int_equal(rows[1].file_off, OFF);
	assert_int_equal(rows[2].module, 9);
	free(rows);
}

static void rows_of_a_case_cannot_be_listed_if_a_page_of_rows_is_missing(void **state)
{
	struct case_rule_source empty = { find, mapping, &empty };
	struct case_row *rows = NULL;
	u32 n = 0;

	(void)state;
	assert_int_equal(case_rows_used(&frames[2].frame, 1, &empty, &rows, &n), -ESTALE);
	assert_null(rows);
	/* A frame without a row does not need a page of rows. */
	assert_int_equal(case_rows_used(&frames[6].frame, 1, &empty, &rows, &n), 0);
	assert_int_equal(n, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_frame_gets_the_expected_unwind_row_in_the_case),
		cmocka_unit_test(rows_are_sorted_and_unique),
		cmocka_unit_test(rows_of_a_case_cannot_be_listed_if_a_page_of_rows_is_missing),
	};

	return CHECK_RUN(tests);
}
