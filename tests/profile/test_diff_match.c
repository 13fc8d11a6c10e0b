/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests which functions of two profiles match, on small files of functions. */

#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../loader/diff/match.h"

#define MAX 8
#define ANON "(anonymous)"

/* A function of /app.js, or of another file. */
#define AT(name, line)                                                                             \
	{                                                                                          \
		name, "/app.js", line, 1, true, false, 0                                           \
	}
#define IN(name, file, line)                                                                       \
	{                                                                                          \
		name, file, line, 1, true, false, 0                                                \
	}
#define COLUMN(name, line, column)                                                                 \
	{                                                                                          \
		name, "/app.js", line, column, true, false, 0                                      \
	}
#define MODULE(name, module)                                                                       \
	{                                                                                          \
		name, module, 0, 0, false, false, 0, module                                        \
	}
#define UNNAMED(name, build_id)                                                                    \
	{                                                                                          \
		name, "/z.so", 0, 0, false, false, 0, "/z.so", build_id                            \
	}
#define NATIVE(name, file, module)                                                                 \
	{                                                                                          \
		name, file, 1, 0, true, false, 0, module                                           \
	}

struct example {
	const char *about;
	struct function before[MAX], after[MAX];
	const char *want; /* "01 1- -0": matching indices, in the order of BEFORE */
};

static const struct example examples[] = {
	{ "a line at the top moves everything",
	  { AT("load", 1), AT(ANON, 3), AT(ANON, 5), AT("save", 9), AT(ANON, 11) },
	  { AT("load", 2), AT(ANON, 4), AT(ANON, 6), AT("save", 10), AT(ANON, 12) },
	  "00 11 22 33 44" },
	{ "the same name in another file is another function",
	  { IN("run", "/a.js", 1), IN("run", "/b.js", 1) },
	  { IN("run", "/b.js", 1), IN("run", "/c.js", 1) },
	  "0- 10 -1" },
	{ "the same offset in another build is another function",
	  { UNNAMED("z.so+0x10", "ab"), UNNAMED("z.so+0x20", "ab"), MODULE("f", "/z.so") },
	  { UNNAMED("z.so+0x10", "ab"), UNNAMED("z.so+0x20", "cd"), MODULE("f", "/z.so") },
	  "00 1- 22 -1" },
	{ "code between two functions moves only the second one's functions",
	  { AT("load", 1), AT(ANON, 3), AT("save", 9), AT(ANON, 11) },
	  { AT("load", 1), AT(ANON, 3), AT("save", 109), AT(ANON, 111) },
	  "00 11 22 33" },
	{ "an anonymous function without samples does not shift the others",
	  { AT("load", 1), AT(ANON, 3), AT(ANON, 5), AT(ANON, 9) },
	  { AT("load", 2), AT(ANON, 6), AT(ANON, 10) },
	  "00 1- 21 32" },
	{ "a new anonymous function does not shift the others",
	  { AT("load", 1), AT(ANON, 5), AT(ANON, 9) },
	  { AT("load", 2), AT(ANON, 4), AT(ANON, 6), AT(ANON, 10) },
	  "00 12 23 -1" },
	{ "anonymous functions of different functions do not match",
	  { AT("load", 1), AT(ANON, 3), AT("save", 9) },
	  { AT("load", 1), AT("save", 9), AT(ANON, 11) },
	  "00 1- 21 -2" },
	{ "only functions of both profiles enclose",
	  { AT("load", 1), AT("rare", 4), AT(ANON, 5) },
	  { AT("load", 2), AT(ANON, 6) },
	  "00 1- 21" },
	{ "methods with the same name match by the function above them",
	  { AT("Map", 1), AT("get", 3), AT("Set", 9), AT("get", 11) },
	  { AT("Map", 2), AT("Set", 10), AT("get", 12) },
	  "00 1- 21 32" },
	{ "a line of a bundle has many functions",
	  { COLUMN("load", 1, 10), COLUMN(ANON, 1, 20), COLUMN(ANON, 1, 90) },
	  { COLUMN("load", 1, 510), COLUMN(ANON, 1, 590) },
	  "00 1- 21" },
	{ "functions without a file match by name and module",
	  { MODULE("read", "/lib/libc.so.6"), MODULE("read", "[kernel]") },
	  { MODULE("read", "[kernel]"), MODULE("[libz.so.1]", "/lib/libz.so.1") },
	  "0- 10 -1" },
	{ "a file that only one of the recordings found does not matter",
	  { NATIVE("uv_run", "core.c", "/bin/node"), MODULE("main", "/bin/node") },
	  { NATIVE("main", "node.c", "/bin/node"), MODULE("uv_run", "/bin/node") },
	  "01 10" },
	{ "a function without a file may be in either of two files",
	  { NATIVE("init", "a.c", "/bin/x"), NATIVE("init", "b.c", "/bin/x") },
	  { MODULE("init", "/bin/x") },
	  "0- 1- -0" },
	{ "functions of different modules do not match",
	  { NATIVE("init", "a.c", "/bin/x") },
	  { MODULE("init", "/bin/y") },
	  "0- -0" },
	{ "functions of different files do not match",
	  { NATIVE("init", "a.c", "/bin/x") },
	  { NATIVE("init", "b.c", "/bin/x") },
	  "0- -0" },
	{ "functions of one profile only", { AT("gone", 1) }, { AT("new", 1) }, "0- -0" },
	{ "no functions", { { 0 } }, { { 0 } }, "" },
};

static u32 fill(const struct function *functions, const struct function **v)
{
	u32 n = 0;

	while (n < MAX && functions[n].name) {
		v[n] = &functions[n];
		n++;
	}
	return n;
}

static char digit(u32 idx)
{
	return idx == MATCH_NONE ? '-' : (char)('0' + idx);
}

static int by_before(const void *a, const void *b)
{
	const struct match_pair *x = a, *y = b;

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->after > y->after) - (x->after < y->after);
}

static void functions_match_as_a_reader_of_the_file_would_match_them(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
		const struct example *e = &examples[i];
		const struct function *before[MAX], *after[MAX];
		u32 n_before = fill(e->before, before), n_after = fill(e->after, after), n;
		struct match_pair *pairs = NULL;
		char text[4 * MAX * 2] = "";

		assert_int_equal(match_functions(before, n_before, after, n_after, &pairs, &n), 0);
		qsort(pairs, n, sizeof(*pairs), by_before);
		for (u32 k = 0; k < n; k++)
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%c%c",
				 k ? " " : "", digit(pairs[k].before), digit(pairs[k].after));
		if (strcmp(text, e->want))
			fail_msg("%s: \"%s\", not \"%s\"", e->about, text, e->want);
		free(pairs);
	}
}

/* The functions of one name on the other side must not run out, whatever their number. */
static void many_anonymous_functions_match_in_order(void **state)
{
	enum { N = 5000 };
	struct function *v = calloc(N, sizeof(*v));
	const struct function **before = calloc(N, sizeof(*before));
	struct match_pair *pairs = NULL;
	u32 n;

	(void)state;
	for (u32 i = 0; i < N; i++) {
		v[i] = (struct function){ ANON, "/app.js", i + 1, 1, true, false, i };
		before[i] = &v[i];
	}
	assert_int_equal(match_functions(before, N, before, N, &pairs, &n), 0);
	assert_int_equal(n, N);
	for (u32 i = 0; i < N; i++)
		assert_int_equal(pairs[i].before, pairs[i].after);
	free(pairs);
	assert_int_equal(match_functions(before, N, before, N / 2, &pairs, &n), 0);
	assert_int_equal(n, N);
	free(pairs);
	free(before);
	free(v);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(functions_match_as_a_reader_of_the_file_would_match_them),
	cmocka_unit_test(many_anonymous_functions_match_in_order),
};

int main(void)
{
	return CHECK_RUN(tests);
}
