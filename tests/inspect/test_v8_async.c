// SPDX-License-Identifier: BSD-2-Clause

/*
 * The builtins and types that async stacks need, and builds of V8 in which one of them is missing.
 */

#include "../../inspect/v8/v8_async.h"
#include "../check.h"

#include <string.h>

/* In the order of V8 12.4; the builtins between them are omitted. */
static const char *const names[] = {
	"Abort",
	"AsyncFunctionAwaitRejectClosure",
	"AsyncFunctionAwaitResolveClosure",
	"AsyncGeneratorAwaitResolveClosure",
	"AsyncGeneratorAwaitRejectClosure",
	"AsyncGeneratorYieldWithAwaitResolveClosure",
	"PromiseCapabilityDefaultReject",
	"PromiseCapabilityDefaultResolve",
	"PromiseAllResolveElementClosure",
	"PromiseAllSettledResolveElementClosure",
	"PromiseAllSettledRejectElementClosure",
	"PromiseAnyRejectElementClosure",
	"PromiseFulfillReactionJob",
	"PromiseRejectReactionJob",
};
#define N_BUILTINS (sizeof(names) / sizeof(names[0]))
#define FIRST_NEEDED 1
#define NOT_NEEDED 6

static void make_build(struct v8_build *b, struct v8_builtin *builtins)
{
	for (u32 i = 0; i < N_BUILTINS; i++)
		builtins[i] =
			(struct v8_builtin){ .blob_off = 64 * i, .len = 60, .name = names[i] };
	*b = (struct v8_build){ .blob_off = 0x1000,
				.blob_len = 64 * N_BUILTINS,
				.builtins = builtins,
				.n_builtins = N_BUILTINS,
				.layout = { .map_instance_type = 12,
					    .function_context = 40,
					    .async_form = V8_ASYNC_8_3,
					    .sfi_builtin = 8,
					    .reaction_handler = 32,
					    .type_sfi = 1,
					    .type_promise = 2,
					    .type_reaction = 3,
					    .type_capability = 4,
					    .type_async_function = 5,
					    .type_async_generator = 6,
					    .type_request = 7 } };
}

static void id_of_a_builtin_is_its_position_in_the_order_of_the_builtins(void **state)
{
	struct v8_builtin builtins[N_BUILTINS];
	struct v8_async a;
	struct v8_build b;

	(void)state;
	make_build(&b, builtins);
	assert_null(v8_async_fill(&a, &b));
	assert_int_equal(a.await_id, 1);
	assert_int_equal(a.generate_id, 3);
	assert_int_equal(a.resolve_id, 7);
	assert_int_equal(a.element_id, 8);
	assert_int_equal(a.job_off, 0x1000 + 64 * 12);
	assert_int_equal(a.job_len, 64 + 60);
	for (u32 i = 0; i < V8_ASYNC_N_TYPES; i++)
		assert_int_equal(a.types[i], i + 1);
	assert_string_equal(v8_async_name(&a, 8), "Promise.all");
	assert_string_equal(v8_async_name(&a, 11), "Promise.any");
	assert_null(v8_async_name(&a, 7));
	assert_null(v8_async_name(&a, 12));
}

static void builtin_for_yield_in_v8_before_11_is_found_by_name(void **state)
{
	struct v8_builtin builtins[N_BUILTINS];
	struct v8_async a;
	struct v8_build b;

	(void)state;
	make_build(&b, builtins);
	builtins[5].name = "AsyncGeneratorYieldResolveClosure";
	assert_null(v8_async_fill(&a, &b));
	assert_int_equal(a.generate_id, 3);
}

static void missing_builtin_disables_async_stacks(void **state)
{
	struct v8_builtin builtins[N_BUILTINS];
	struct v8_async a;
	struct v8_build b;

	(void)state;
	for (u32 i = FIRST_NEEDED; i < N_BUILTINS; i++) {
		make_build(&b, builtins);
		builtins[i].name = i % 2 ? NULL : "Another";
		memset(&a, 0x55, sizeof(a));
		if (i == NOT_NEEDED) {
			assert_null(v8_async_fill(&a, &b));
			continue;
		}
		assert_non_null(v8_async_fill(&a, &b));
		assert_int_equal(a.job_len, 0);
		assert_int_equal(a.await_id, 0);
	}
	make_build(&b, builtins);
	for (b.n_builtins = 0; b.n_builtins < N_BUILTINS; b.n_builtins++)
		assert_non_null(v8_async_fill(&a, &b));
}

static void missing_type_disables_async_stacks(void **state)
{
	struct v8_builtin builtins[N_BUILTINS];
	struct v8_build b;
	u16 *const fields[] = { &b.layout.type_promise,		&b.layout.type_reaction,
				&b.layout.type_capability,	&b.layout.type_async_function,
				&b.layout.type_async_generator, &b.layout.type_request,
				&b.layout.function_context };
	struct v8_async a;

	(void)state;
	for (u32 i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		make_build(&b, builtins);
		*fields[i] = 0;
		assert_non_null(v8_async_fill(&a, &b));
		assert_int_equal(a.job_len, 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(id_of_a_builtin_is_its_position_in_the_order_of_the_builtins),
		cmocka_unit_test(builtin_for_yield_in_v8_before_11_is_found_by_name),
		cmocka_unit_test(missing_builtin_disables_async_stacks),
		cmocka_unit_test(missing_type_disables_async_stacks),
	};

	return CHECK_RUN(tests);
}
