/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests that names that are too wide lose parameters, then namespaces, then types, then the
 * method.
 */

#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../loader/report/cell.h"
#include "../../loader/report/fit.h"

#define E "\xe2\x80\xa6"

static const char sort[] =
	"System.Collections.Generic.ArraySortHelper<int>.IntroSort(Span<int>, int)";

static const struct {
	const char *name;
	u32 width;
	const char *fitted;
} cases[] = {
	{ "f", 1, "f" },
	{ sort, 100, sort },
	{ sort, 62, "System.Collections.Generic.ArraySortHelper<int>.IntroSort(" E ")" },
	{ sort, 40, E "ArraySortHelper<int>.IntroSort" },
	{ sort, 20, E "lper<int>.IntroSort" },
	{ sort, 9, "IntroSort" },
	{ "ArraySortHelper<System.Int32>.Sort()", 16, E "tem.Int32>.Sort" },
	{ "v8::internal::Heap::Scavenge(v8::internal::Isolate*)", 20, E "Heap::Scavenge" },
	{ "(anonymous)", 5, "(anonymous)" },
	{ "Object.<anonymous>", 12, "<anonymous>" },
	{ "a.b.c.d", 5, E "c.d" },
	{ "operator<(a::b, c::d)", 12, "operator<(" E ")" },
	{ "plainfunction", 5, "plainfunction" },
	{ "", 5, "" },
	{ "((((", 2, "((((" },
	{ ")))).", 2, "))))." },
};

static void arguments_and_namespaces_are_removed_to_fit_but_the_method_name_is_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *fitted = name_fit(cases[i].name, cases[i].width);

		assert_string_equal(fitted, cases[i].fitted);
		free(fitted);
	}
}

/* At any width, the result either fits the width or is only the method's name. */
static void a_fitted_name_is_no_wider_than_the_given_width_or_the_method_name(void **state)
{
	static const char *const names[] = { sort,
					     "a::b<c::d>::e(f)",
					     "<.>.<",
					     "x(y)(z)",
					     "\xe5\x90\x8d.\xe5\x89\x8d(\xe5\x90\x8d)",
					     "..",
					     "::" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		for (u32 width = 1; width < 90; width++) {
			char *fitted = name_fit(names[i], width);

			assert_non_null(fitted);
			assert_true(strlen(fitted) <= strlen(names[i]) + 3);
			free(fitted);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			arguments_and_namespaces_are_removed_to_fit_but_the_method_name_is_kept),
		cmocka_unit_test(a_fitted_name_is_no_wider_than_the_given_width_or_the_method_name),
	};

	return CHECK_RUN(tests);
}
