/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests to which runtime a frame belongs, which runtime represents a process, and that every
 * runtime has the required functions.
 */

#include <errno.h>

#include "../../loader/runtime/runtimes.h"
#include "../check.h"

static void each_kind_of_frame_belongs_to_one_runtime(void **state)
{
	static const u32 owners[UW_N_KINDS] = {
		[UW_UNKNOWN] = N_RUNTIMES,
		[UW_KERNEL] = N_RUNTIMES,
		[UW_NATIVE] = N_RUNTIMES,
		[UW_V8_STUB] = RUNTIME_V8,
		[UW_V8_JS] = RUNTIME_V8,
		[UW_V8_CODE] = RUNTIME_V8,
		[UW_DOTNET_METHOD] = RUNTIME_DOTNET,
		[UW_DOTNET_R2R] = RUNTIME_DOTNET,
		[UW_DOTNET_STUB] = RUNTIME_DOTNET,
		[UW_DOTNET_AWAITER] = N_RUNTIMES,
	};

	(void)state;
	for (u32 kind = 0; kind < UW_N_KINDS; kind++) {
		struct uw_frame f = { .kind = (u8)kind };

		assert_int_equal(runtime_of_frame(&f), owners[kind]);
		assert_int_equal(runtime_of_awaiter(&f),
				 kind == UW_DOTNET_AWAITER ? RUNTIME_DOTNET : N_RUNTIMES);
	}
}

static void the_first_runtime_without_a_problem_represents_the_process(void **state)
{
	const struct runtime_build good = { .name = "good" }, bad = { .name = "bad", .why = "old" },
				   worse = { .name = "worse", .why = "older" };
	const struct {
		const struct runtime_build *of[N_RUNTIMES], *first;
	} rows[] = {
		{ { NULL, NULL }, NULL },     { { &good, NULL }, &good }, { { NULL, &bad }, &bad },
		{ { &bad, &good }, &good },   { { &good, &bad }, &good }, { { &bad, NULL }, &bad },
		{ { &bad, &worse }, &worse },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_ptr_equal(runtime_first(rows[i].of), rows[i].first);
}

static void a_frame_without_a_name_has_its_address_and_a_reason(void **state)
{
	const struct uw_frame stub = { .kind = UW_V8_STUB, .pc = 0x1234, .flags = UW_FRAME_GUESS };
	const struct uw_frame method = {
		.kind = UW_DOTNET_METHOD, .pc = 0x5678, .a = 0x5600, .flags = UW_FRAME_ASYNC
	};
	struct prof_frame f = runtime_unnamed(&v8_runtime, &stub, "gone");

	(void)state;
	assert_int_equal(f.kind, PROF_STUB);
	assert_int_equal(f.off, 0x1234);
	assert_string_equal(f.reason, "gone");
	assert_true(f.has_off && f.guess && !f.async && !f.name);
	assert_int_equal(f.start_off, 0);
	f = runtime_unnamed(&dotnet_runtime, &method, NULL);
	assert_int_equal(f.kind, PROF_DOTNET);
	assert_true(f.async && !f.guess);
	assert_int_equal(f.start_off, 0x5600); /* the first byte of the method's code */
}

static void without_readable_memory_each_runtime_reports_that_the_process_is_gone(void **state)
{
	const struct runtime_home home = { .has_bias = true };
	struct uw_sample s = { .n_frames = 1, .frames[0] = { .kind = UW_V8_JS } };

	(void)state;
	for (u32 r = 0; r < N_RUNTIMES; r++) {
		struct runtime_build b = { .ops = runtimes[r] };
		struct runtime *rt;

		assert_int_equal(runtime_open(&rt, &b, &home), 0);
		assert_int_equal(runtimes[r]->name(rt, &s, 0, NULL, NULL), RUNTIME_GONE);
		runtime_free(&rt);
		assert_null(rt);
	}
}

static void a_runtime_that_needs_a_load_bias_is_absent_if_the_bias_is_unknown(void **state)
{
	const struct runtime_home home = { .pid = 1 };
	struct runtime_build b = { .ops = &dotnet_runtime };
	struct runtime *rt = NULL;

	(void)state;
	assert_int_equal(runtime_open(&rt, &b, &home), -ENOENT);
	assert_null(rt);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_frame_belongs_to_one_runtime),
		cmocka_unit_test(the_first_runtime_without_a_problem_represents_the_process),
		cmocka_unit_test(a_frame_without_a_name_has_its_address_and_a_reason),
		cmocka_unit_test(
			without_readable_memory_each_runtime_reports_that_the_process_is_gone),
		cmocka_unit_test(a_runtime_that_needs_a_load_bias_is_absent_if_the_bias_is_unknown),
	};

	return CHECK_RUN(tests);
}
