// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the names used in a profile in both directions, and to which runtime and activity
 * kinds and statuses count.
 */

#include <string.h>

#include "../../loader/profile/kinds.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void the_name_of_each_kind_activity_and_status_is_converted_back_to_its_value(void **state)
{
	(void)state;
	for (u32 i = 0; i < PROF_N_KINDS; i++)
		assert_int_equal(prof_kind_from_name(prof_kind_name(i)), i);
	for (u32 i = 0; i < PROF_N_ACTIVITIES; i++)
		assert_int_equal(prof_activity_from_name(prof_activity_name(i)), i);
	for (u32 i = 0; i < PROF_N_STATUSES; i++)
		assert_int_equal(prof_status_from_name(prof_status_name(i)), i);
	assert_null(prof_kind_name(PROF_N_KINDS));
	assert_null(prof_runtime_name(PROF_N_RUNTIMES));
	assert_null(prof_reason_words(UW_N_STATUS));
	assert_int_equal(prof_kind_from_name("nat"), PROF_N_KINDS);
	assert_int_equal(prof_activity_from_name(""), PROF_N_ACTIVITIES);
	assert_int_equal(prof_status_from_name("Complete"), PROF_N_STATUSES);
}

static void each_kind_of_frame_belongs_to_one_runtime_and_one_activity(void **state)
{
	static const struct {
		enum prof_kind kind;
		enum prof_runtime runtime;
		enum prof_activity activity;
	} rows[] = {
		{ PROF_JS, PROF_RT_V8, PROF_ACT_JS },
		{ PROF_WASM, PROF_RT_V8, PROF_ACT_JS },
		{ PROF_BUILTIN, PROF_RT_V8, PROF_ACT_JS },
		{ PROF_REGEXP, PROF_RT_V8, PROF_ACT_JS },
		{ PROF_STUB, PROF_RT_V8, PROF_ACT_JS },
		{ PROF_DOTNET, PROF_RT_DOTNET, PROF_ACT_DOTNET },
		{ PROF_JIT, PROF_RT_JIT, PROF_ACT_JIT },
		{ PROF_NATIVE, PROF_RT_NATIVE, PROF_ACT_NATIVE },
		{ PROF_KERNEL, PROF_RT_KERNEL, PROF_ACT_KERNEL },
		{ PROF_N_KINDS, PROF_RT_NATIVE, PROF_ACT_NATIVE }, /* a stack without a frame */
	};

	(void)state;
	assert_int_equal(N(rows), PROF_N_KINDS + 1);
	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(prof_runtime_of_kind(rows[i].kind), rows[i].runtime);
		assert_int_equal(prof_activity_of_kind(rows[i].kind), rows[i].activity);
	}
}

static void each_walk_status_that_ends_a_stack_is_complete_truncated_or_failed(void **state)
{
	(void)state;
	assert_int_equal(prof_status_of_walk(UW_END), PROF_COMPLETE);
	assert_int_equal(prof_status_of_walk(UW_T_NO_ROW), PROF_TRUNCATED);
	assert_int_equal(prof_status_of_walk(UW_E_FAULT), PROF_FAILED);
	assert_int_equal(prof_status_of_walk(UW_F_NO_METHOD), PROF_N_STATUSES);
	assert_int_equal(prof_status_of_walk(UW_N_STATUS), PROF_N_STATUSES);
	assert_int_equal(prof_status_of_walk((enum uw_status) ~0u), PROF_N_STATUSES);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			the_name_of_each_kind_activity_and_status_is_converted_back_to_its_value),
		cmocka_unit_test(each_kind_of_frame_belongs_to_one_runtime_and_one_activity),
		cmocka_unit_test(
			each_walk_status_that_ends_a_stack_is_complete_truncated_or_failed),
	};

	return CHECK_RUN(tests);
}
