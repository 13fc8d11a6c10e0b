/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests queries on profiles whose results are easy to calculate by hand. */

#include "../check.h"

#include <errno.h>
#include <string.h>

#include "../../loader/query/query.h"
#include "made.h"

#define H "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"
#define P "{\"type\":\"process\",\"pid\":1,\"name\":\"app.js\",\"runtime\":\"Node.js 24.21.0\"}\n"
#define OLD "{\"type\":\"process\",\"pid\":1,\"runtime\":\"Node.js 14.21.3\"}\n"
#define C "{\"type\":\"process\",\"pid\":2,\"name\":\"c\",\"exe\":\"/bin/c\"}\n"
#define T "{\"type\":\"thread\",\"pid\":1,\"tid\":3,\"name\":\"resize\"}\n"
#define F(id, kind, name, more)                                                                    \
	"{\"type\":\"frame\",\"id\":" id ",\"kind\":\"" kind "\",\"name\":\"" name "\"" more "}\n"
#define S(id, frames)                                                                              \
	"{\"type\":\"stack\",\"id\":" id ",\"frames\":[" frames "],\"status\":\"complete\"}\n"
#define N(pid, tid, stack, n, t)                                                                   \
	"{\"type\":\"samples\",\"pid\":" pid ",\"tid\":" tid ",\"stack\":" stack ",\"count\":" n   \
	",\"t\":[" t "]}\n"

/*
 * main calls work; work calls itself and a package, which calls native code. Of 20 samples, 2
 * are in main, 7 in work, 5 in the package, 4 in native code and 2 in the kernel.
 */
static const char the_profile[] = H P C T F("1", "js", "main",
					    ",\"file\":\"/srv/app.js\",\"start_line\":1")
	F("2", "js", "work", ",\"file\":\"/srv/app.js\",\"start_line\":5,\"line\":6,\"tier\":\"x\"")
		F("3", "js", "work", ",\"file\":\"/srv/app.js\",\"start_line\":5,\"line\":7") F(
			"4", "js", "get",
			",\"file\":\"/srv/node_modules/dep/"
			"i.js\",\"start_line\":9") F("5", "native", "hash",
						     ",\"module\":\"/lib/z.so\"")
			F("6", "kernel", "page_fault", "") S("1", "1") S("2", "2,1") S("3", "3,2,1")
				S("4", "4,2,1") S("5", "5,4,2,1") S("6", "6,1") N(
					"1", "1", "1", "2", "1,1") N("1", "1", "2", "4", "10,1,1,1")
					N("1", "1", "3", "3", "20,1,1")
						N("1", "3", "4", "5", "30,1,1,1,1")
							N("1", "3", "5", "4", "40,1,1,1")
								N("1", "1", "6", "2", "50,1");

/* A function without a name, executed at two places, and one of another build of the module. */
#define UNNAMED(id, build_id, off, start)                                                          \
	"{\"type\":\"frame\",\"id\":" id                                                           \
	",\"kind\":\"native\",\"module\":\"/lib/z.so\",\"build_id\":\"" build_id                   \
	"\",\"off\":\"" off "\",\"start_off\":\"" start "\"}\n"
static const char unnamed_profile[] = H C UNNAMED("1", "ab", "0x2010", "0x2000")
	UNNAMED("2", "ab", "0x2018", "0x2000") UNNAMED("3", "ab", "0x3018", "0x3000")
		UNNAMED("4", "cd", "0x2020", "0x2000") S("1", "1") S("2", "2,3") S("3", "4")
			N("2", "2", "1", "1", "1") N("2", "2", "2", "1", "2")
				N("2", "2", "3", "1", "3");

static struct prof_data *read_span(const char *text, u64 since_us, u64 until_us)
{
	const struct data_span span = { since_us, until_us };
	struct prof_reader *in = NULL;
	struct prof_data *d = NULL;

	assert_int_equal(prof_reader_new(made_fd(text, strlen(text)), "in", &in), 0);
	assert_int_equal(data_read_span(in, &span, &d), 0);
	prof_reader_free(&in);
	return d;
}

struct want {
	u32 depth;
	u64 self, total;
	const char *name;
};

struct question {
	const char *what;
	struct query query;
	u32 top;
	struct want rows[10];
};

static const struct question questions[] = {
	{ "functions by self",
	  { 0 },
	  0,
	  { { 0, 7, 16, "work" },
	    { 0, 5, 9, "get" },
	    { 0, 4, 4, "hash" },
	    { 0, 2, 20, "main" },
	    { 0, 2, 2, "page_fault" } } },
	{ "functions by total",
	  { .by_total = true },
	  2,
	  { { 0, 2, 20, "main" }, { 0, 7, 16, "work" } } },
	{ "application functions, including the time of what they call",
	  { .only = QUERY_APP },
	  0,
	  { { 0, 16, 16, "work" }, { 0, 4, 20, "main" } } },
	{ "native functions, self time only",
	  { .only = QUERY_NATIVE },
	  0,
	  { { 0, 4, 4, "hash" } } },
	{ "JavaScript functions, without the time of what they call",
	  { .only = QUERY_JS },
	  0,
	  { { 0, 7, 16, "work" }, { 0, 5, 9, "get" }, { 0, 2, 20, "main" } } },
	{ "a call tree of application functions",
	  { .shape = QUERY_TREE, .only = QUERY_APP },
	  0,
	  { { 0, 4, 20, "main" }, { 1, 16, 16, "work" } } },
	{ "a call tree cut to 3 rows, with the parents of the largest",
	  { .shape = QUERY_TREE },
	  3,
	  { { 0, 2, 20, "main" }, { 1, 7, 16, "work" }, { 2, 5, 9, "get" } } },
	{ "callers of a function",
	  { .shape = QUERY_CALLERS, .function = "get" },
	  0,
	  { { 0, 5, 9, "get" }, { 1, 0, 9, "work" }, { 2, 0, 9, "main" } } },
	{ "callees of a function",
	  { .shape = QUERY_CALLEES, .function = "work" },
	  0,
	  { { 0, 7, 16, "work" }, { 1, 5, 9, "get" }, { 2, 4, 4, "hash" } } },
	{ "callees of functions whose names contain a text",
	  { .shape = QUERY_CALLEES, .function = "ge" },
	  0,
	  { { 0, 5, 9, "get" }, { 0, 2, 2, "page_fault" }, { 1, 4, 4, "hash" } } },
	{ "executed lines",
	  { .by = QUERY_BY_LINE, .only = QUERY_APP },
	  0,
	  { { 0, 13, 16, "work" }, { 0, 4, 20, "main" }, { 0, 3, 3, "work" } } },
	{ "lines of a function",
	  { .by = QUERY_BY_LINE, .function = "wor" },
	  0,
	  { { 0, 4, 16, "work" }, { 0, 3, 3, "work" } } },
	{ "files",
	  { .by = QUERY_BY_FILE },
	  0,
	  { { 0, 9, 20, "/srv/app.js" },
	    { 0, 5, 9, "/srv/node_modules/dep/i.js" },
	    { 0, 4, 4, "/lib/z.so" },
	    { 0, 2, 2, "[kernel]" } } },
	{ "packages",
	  { .by = QUERY_BY_PACKAGE },
	  0,
	  { { 0, 9, 20, "app" },
	    { 0, 5, 9, "dep" },
	    { 0, 4, 4, "/lib/z.so" },
	    { 0, 2, 2, "kernel" } } },
	{ "kinds",
	  { .by = QUERY_BY_KIND },
	  0,
	  { { 0, 14, 20, "js" }, { 0, 4, 4, "native" }, { 0, 2, 2, "kernel" } } },
	{ "runtimes",
	  { .by = QUERY_BY_RUNTIME },
	  0,
	  { { 0, 14, 20, "v8" }, { 0, 4, 4, "native" }, { 0, 2, 2, "kernel" } } },
	{ "threads",
	  { .by = QUERY_BY_THREAD },
	  0,
	  { { 0, 11, 11, "main thread" }, { 0, 9, 9, "worker 1 resize" } } },
	{ "processes", { .by = QUERY_BY_PROCESS }, 0, { { 0, 20, 20, "app.js" } } },
	{ "stacks that match",
	  { .grep = "^get .*dep/i.js:9" },
	  0,
	  { { 0, 5, 9, "get" }, { 0, 4, 4, "hash" }, { 0, 0, 9, "main" }, { 0, 0, 9, "work" } } },
};

/* Return: whether a row with these values exists, at any index. */
static bool has_row(const struct query_result *result, const struct want *w)
{
	for (u32 i = 0; i < result->n; i++) {
		const struct query_row *row = &result->rows[i];

		if (row->depth == w->depth && row->self == w->self && row->total == w->total &&
		    !strcmp(row->name, w->name))
			return true;
	}
	return false;
}

static void each_query_returns_the_expected_rows(void **state)
{
	struct prof_data *d = read_span(the_profile, 0, 0);

	(void)state;
	for (size_t i = 0; i < sizeof(questions) / sizeof(*questions); i++) {
		const struct question *q = &questions[i];
		struct query_result result;
		u32 n = 0;

		assert_int_equal(query_run(d, &q->query, &result), 0);
		assert_int_equal(query_result_trim(&result, &q->query, q->top), 0);
		for (; q->rows[n].name; n++)
			if (!has_row(&result, &q->rows[n]))
				fail_msg("%s: no row %s", q->what, q->rows[n].name);
		if (result.n != n)
			fail_msg("%s: %u rows, not %u", q->what, result.n, n);
		if (q->query.shape != QUERY_CALLEES)
			assert_string_equal(result.rows[n - 1].name, q->rows[n - 1].name);
		query_result_free(&result);
	}
	data_free(&d);
}

static void functions_without_a_name_are_grouped_by_start_and_lines_by_place(void **state)
{
	static const struct {
		struct query query;
		struct query_row rows[4];
	} cases[] = {
		{ { .by_total = true },
		  { { .total = 2, .self = 2, .name = "z.so+0x2000", .where = "/lib/z.so" },
		    { .total = 1, .self = 1, .name = "z.so+0x2000", .where = "/lib/z.so" },
		    { .total = 1, .name = "z.so+0x3000", .where = "/lib/z.so" } } },
		{ { .by = QUERY_BY_LINE },
		  { { .total = 1, .self = 1, .name = "z.so+0x2000", .where = "/lib/z.so+0x2010" },
		    { .total = 1, .self = 1, .name = "z.so+0x2000", .where = "/lib/z.so+0x2018" },
		    { .total = 1, .self = 1, .name = "z.so+0x2000", .where = "/lib/z.so+0x2020" },
		    { .total = 1, .name = "z.so+0x3000", .where = "/lib/z.so+0x3018" } } },
	};
	struct prof_data *d = read_span(unnamed_profile, 0, 0);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct query_result result;

		assert_int_equal(query_run(d, &cases[i].query, &result), 0);
		assert_int_equal(result.n, 3 + i);
		for (u32 k = 0; k < result.n; k++) {
			assert_string_equal(result.rows[k].name, cases[i].rows[k].name);
			assert_string_equal(result.rows[k].where, cases[i].rows[k].where);
			assert_int_equal(result.rows[k].self, cases[i].rows[k].self);
			assert_int_equal(result.rows[k].total, cases[i].rows[k].total);
		}
		query_result_free(&result);
	}
	data_free(&d);
}

/*
 * load() is resumed twice on behalf of page() and once on behalf of feed(); the builtin that
 * resumes it is between them.
 */
static void async_callers_are_listed_below_the_function_that_they_await(void **state)
{
#define JS(id, name, more) F(id, "js", name, ",\"file\":\"/a.js\",\"start_line\":" id more)
	static const char text[] = H P JS("1", "burn", "") JS("2", "load", "") F("3", "builtin",
										 "resume", "")
		JS("4", "page", ",\"async\":true") JS("5", "feed", ",\"async\":true")
			JS("6", "main", ",\"async\":true") F("7", "stub", "RunMicrotasks", "")
				S("1", "1,2,3,4,6,7") S("2", "1,2,3,5,6,7") S("3", "1,2")
					N("1", "1", "1", "2", "1,1") N("1", "1", "2", "1", "1")
						N("1", "1", "3", "7", "1,1,1,1,1,1,1");
	static const struct want want[] = { { 0, 0, 3, "load" },
					    { 1, 0, 2, "page" },
					    { 2, 0, 2, "main" },
					    { 1, 0, 1, "feed" },
					    { 2, 0, 1, "main" } };
	const struct query q = { .shape = QUERY_AWAITED };
	struct prof_data *d = read_span(text, 0, 0);
	struct query_result result;

	(void)state;
	assert_int_equal(query_run(d, &q, &result), 0);
	assert_int_equal(result.n, 5);
	for (u32 i = 0; i < result.n; i++) {
		assert_string_equal(result.rows[i].name, want[i].name);
		assert_int_equal(result.rows[i].depth, want[i].depth);
		assert_int_equal(result.rows[i].total, want[i].total);
	}
	query_result_free(&result);
	data_free(&d);
}

static void a_thread_other_than_the_main_thread_is_a_worker_if_it_runs_javascript(void **state)
{
#define THREAD(tid, name) "{\"type\":\"thread\",\"pid\":1,\"tid\":" tid ",\"name\":\"" name "\"}\n"
	static const char text[] = H P F("1", "js", "f", "") F("2", "native", "g", "") S("1", "2,1")
		S("2", "2") THREAD("1", "node") THREAD("3", "node") THREAD("4", "V8Worker")
			THREAD("9", "node") N("1", "1", "1", "1", "1") N("1", "9", "1", "2", "1,1")
				N("1", "3", "1", "3", "1,1,1") N("1", "4", "2", "4", "1,1,1,1")
					THREAD("3", "resize") N("1", "3", "2", "2", "1,1");
	static const struct want want[] = { { 0, 5, 5, "worker 1 resize" },
					    { 0, 4, 4, "V8Worker" },
					    { 0, 2, 2, "worker 2" },
					    { 0, 1, 1, "main thread" } };
	const struct query q = { .by = QUERY_BY_THREAD };
	struct prof_data *d = read_span(text, 0, 0);
	struct query_result result;

	(void)state;
	assert_int_equal(query_run(d, &q, &result), 0);
	assert_int_equal(result.n, 4);
	for (u32 i = 0; i < result.n; i++) {
		assert_string_equal(result.rows[i].name, want[i].name);
		assert_int_equal(result.rows[i].self, want[i].self);
	}
	query_result_free(&result);
	data_free(&d);
}

static void time_of_code_outside_the_application_is_shown_by_origin(void **state)
{
	const struct query q = { .only = QUERY_APP };
	struct prof_data *d = read_span(the_profile, 0, 0);
	struct query_result result;

	(void)state;
	assert_int_equal(query_run(d, &q, &result), 0);
	assert_int_equal(result.rows[0].of_origin[ORIGIN_APP], 7);
	assert_int_equal(result.rows[0].of_origin[ORIGIN_PACKAGE], 5);
	assert_int_equal(result.rows[0].of_origin[ORIGIN_NATIVE], 4);
	assert_int_equal(result.rows[1].of_origin[ORIGIN_KERNEL], 2);
	query_result_free(&result);
	data_free(&d);
}

static void a_query_for_an_unknown_function_or_with_an_invalid_pattern_is_an_error(void **state)
{
	const struct query no_function = { .shape = QUERY_CALLERS, .function = "nosuch" };
	const struct query no_regex = { .grep = "[" };
	struct prof_data *d = read_span(the_profile, 0, 0);
	struct query_result result;

	(void)state;
	assert_int_equal(query_run(d, &no_function, &result), -ENOENT);
	assert_int_equal(query_run(d, &no_regex, &result), -EINVAL);
	data_free(&d);
}

static void options_since_and_until_select_samples_by_time(void **state)
{
	static const struct {
		u64 since_us, until_us, samples;
	} spans[] = { { 0, 0, 20 },  { 0, 3, 2 },   { 1, 2, 1 },   { 2, 3, 1 },
		      { 10, 12, 2 }, { 13, 21, 2 }, { 100, 0, 0 }, { 40, 0, 6 } };

	(void)state;
	for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
		struct prof_data *d = read_span(the_profile, spans[i].since_us, spans[i].until_us);

		assert_int_equal(d->samples, spans[i].samples);
		assert_int_equal(d->summary.samples, spans[i].samples);
		data_free(&d);
	}
}

static void the_origin_of_code_is_derived_from_the_path(void **state)
{
	static const struct {
		const char *frame;
		enum origin origin;
	} cases[] = {
		{ F("1", "js", "f", ",\"file\":\"/srv/a.js\""), ORIGIN_APP },
		{ F("1", "js", "f", ",\"file\":\"file:///srv/a.mjs\""), ORIGIN_APP },
		{ F("1", "js", "f", ",\"file\":\"[eval]\""), ORIGIN_APP },
		{ F("1", "js", "f", ",\"file\":\"evalmachine.<anonymous>\""), ORIGIN_APP },
		{ F("1", "js", "f", ",\"file\":\"node:net\""), ORIGIN_RUNTIME },
		{ F("1", "js", "f", ",\"file\":\"internal/streams/x.js\""), ORIGIN_RUNTIME },
		{ F("1", "js", "f", ",\"file\":\"net.js\""), ORIGIN_RUNTIME },
		{ OLD F("1", "js", "f", ",\"file\":\"net.js\""), ORIGIN_RUNTIME },
		{ P F("1", "js", "f", ",\"file\":\"single.js\""), ORIGIN_APP },
		{ P F("1", "js", "f", ",\"file\":\"node:net\""), ORIGIN_RUNTIME },
		{ F("1", "js", "f", ",\"file\":\"/a/node_modules/@s/d/i.js\""), ORIGIN_PACKAGE },
		{ F("1", "js", "f",
		    ",\"file\":\"webpack://d/i.ts\",\"generated_file\":\"/a/node_modules/d/i.js\""),
		  ORIGIN_PACKAGE },
		{ F("1", "js", "f", ",\"file\":\"/a/i.ts\",\"generated_file\":\"/a/b/i.js\""),
		  ORIGIN_APP },
		{ F("1", "js", "f", ",\"file\":\"/a/i.ts\",\"ignored\":true"), ORIGIN_PACKAGE },
		{ F("1", "js", "f", ",\"file\":\"net.js\",\"generated_file\":\"/a/b.js\""),
		  ORIGIN_APP },
		{ F("1", "js", "f", ",\"file\":\"/a/node_modules/.cache\""), ORIGIN_APP },
		{ F("1", "js", "f", ""), ORIGIN_BUILTIN },
		{ F("1", "builtin", "f", ""), ORIGIN_BUILTIN },
		{ F("1", "dotnet", "f", ",\"module\":\"Shop\""), ORIGIN_APP },
		{ F("1", "dotnet", "f", ",\"module\":\"System.Private.CoreLib\""), ORIGIN_RUNTIME },
		{ F("1", "dotnet", "f", ",\"module\":\"SystemShop\""), ORIGIN_APP },
		{ F("1", "native", "f", ",\"module\":\"/bin/c\""), ORIGIN_APP },
		{ F("1", "native", "f", ",\"module\":\"./c\""), ORIGIN_APP },
		{ F("1", "native", "f", ",\"module\":\"/usr/c\""), ORIGIN_NATIVE },
		{ F("1", "native", "_start", ",\"module\":\"/bin/c\""), ORIGIN_RUNTIME },
		{ F("1", "native", "runtime.gc", ",\"module\":\"/bin/c\""), ORIGIN_RUNTIME },
		{ F("1", "native", "f",
		    ",\"module\":\"/bin/c\",\"file\":\"/r/go/pkg/mod/h.org/p@v1.2/a.go\""),
		  ORIGIN_PACKAGE },
		{ F("1", "native", "f", ",\"module\":\"/lib/libc.so.6\""), ORIGIN_NATIVE },
		{ F("1", "kernel", "f", ""), ORIGIN_KERNEL },
		{ F("1", "jit", "py::f:/srv/a.py", ""), ORIGIN_APP },
		{ F("1", "jit", "py::f:/usr/lib/python3.12/json/x.py", ""), ORIGIN_RUNTIME },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct prof_data *d;
		char text[1024];

		snprintf(text, sizeof(text), "%s%s", H C, cases[i].frame);
		d = read_span(text, 0, 0);
		if (origin_of(d, &d->frames[0]) != cases[i].origin)
			fail_msg("%s is %s", cases[i].frame,
				 origin_name(origin_of(d, &d->frames[0])));
		data_free(&d);
	}
}

static void the_package_name_and_version_are_derived_from_the_path(void **state)
{
	static const struct {
		const char *file, *name, *version;
	} cases[] = {
		{ "/a/node_modules/dep/i.js", "dep", "" },
		{ "/a/node_modules/x/node_modules/dep/i.js", "dep", "" },
		{ "/a/node_modules/@s/d/i.js", "@s/d", "" },
		{ "/a/node_modules/.pnpm/dep@4.18.2/node_modules/dep/i.js", "dep", "4.18.2" },
		{ "/a/node_modules/.pnpm/@s+d@1.0.0_x@2/node_modules/@s/d/i.js", "@s/d", "1.0.0" },
		{ "/r/go/pkg/mod/h.org/p@v1.2.3/a.go", "h.org/p", "v1.2.3" },
		{ "/r/.cargo/registry/src/i-1/serde_json-1.0.9/src/l.rs", "serde_json", "1.0.9" },
		{ "/srv/app.js", "", "" },
		{ "/a/node_modules/dep", "", "" },
		{ "/a/node_modules/@s", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct origin_package p = origin_package(cases[i].file);
		char name[64], version[64];

		snprintf(name, sizeof(name), "%.*s", (int)p.name_len, p.name ? p.name : "");
		snprintf(version, sizeof(version), "%.*s", (int)p.version_len,
			 p.version ? p.version : "");
		assert_string_equal(name, cases[i].name);
		assert_string_equal(version, cases[i].version);
	}
}

static struct query_result answer(const char *text, const struct query *q, u32 top,
				  struct prof_data **d)
{
	struct query_result result;

	*d = read_span(text, 0, 0);
	assert_int_equal(query_run(*d, q, &result), 0);
	assert_int_equal(query_result_trim(&result, q, top), 0);
	return result;
}

static void a_recursive_function_counts_once_per_stack(void **state)
{
	const struct query q = { .by_total = true };
	struct prof_data *d;
	struct query_result result = answer(H P F("1", "js", "f", "") F("2", "js", "g", "")
						    S("1", "1,2,1,2") N("1", "1", "1", "2", "1,1"),
					    &q, 0, &d);

	(void)state;
	assert_int_equal(result.n, 2);
	assert_int_equal(result.rows[0].total, 2);
	assert_int_equal(result.rows[1].total, 2);
	query_result_free(&result);
	data_free(&d);
}

/* r has 10 samples; its child a has 6 (a1 3, a2 1), and its child b has 4 (b1 4). */
static void rows_of_equal_size_keep_their_order_when_a_tree_is_cut(void **state)
{
	static const char text[] = H P F("1", "js", "r", "") F("2", "js", "a", "")
		F("3", "js", "a1", "") F("4", "js", "a2", "") F("5", "js", "b", "")
			F("6", "js", "b1", "") S("1", "2,1") S("2", "3,2,1") S("3", "4,3,2,1")
				S("4", "6,5,1") N("1", "1", "1", "3", "1,1,1")
					N("1", "1", "2", "2", "1,1") N("1", "1", "3", "1", "1")
						N("1", "1", "4", "4", "1,1,1,1");
	static const char *const want[] = { "r", "a", "b", "b1" };
	const struct query q = { .shape = QUERY_TREE };
	struct prof_data *d;
	struct query_result result = answer(text, &q, 4, &d);

	(void)state;
	assert_int_equal(result.n, 4);
	for (u32 i = 0; i < 4; i++)
		assert_string_equal(result.rows[i].name, want[i]);
	query_result_free(&result);
	data_free(&d);
}

/*
 * Frames 1 and 3 are recorded before the files of their functions are known. read() is in one
 * file, so its frames are one function; init() of frame 3 may be in a.c or in b.c.
 */
static void native_frames_without_a_file_belong_to_the_only_file_of_their_name(void **state)
{
#define NATIVE(id, name, file) F(id, "native", name, ",\"module\":\"/bin/x\"" file)
#define FILE_OF(name) ",\"start_line\":7,\"file\":\"" name "\""
	static const char text[] = H P NATIVE("1", "read", "") NATIVE("2", "read", FILE_OF("r.c"))
		NATIVE("3", "init", "") NATIVE("4", "init", FILE_OF("a.c"))
			NATIVE("5", "init", FILE_OF("b.c")) S("1", "1") S("2", "2") S("3", "3")
				S("4", "4") S("5", "5") N("1", "1", "1", "2", "1,1")
					N("1", "1", "2", "1", "1") N("1", "1", "3", "1", "1")
						N("1", "1", "4", "1", "1")
							N("1", "1", "5", "1", "1");
	struct prof_data *d = read_span(text, 0, 0);
	struct query_result result;

	(void)state;
	assert_int_equal(query_run(d, &(struct query){ 0 }, &result), 0);
	assert_int_equal(result.n, 4);
	assert_string_equal(result.rows[0].name, "read");
	assert_string_equal(result.rows[0].where, "r.c:7");
	assert_int_equal(result.rows[0].self, 3);
	query_result_free(&result);
	data_free(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_query_returns_the_expected_rows),
		cmocka_unit_test(functions_without_a_name_are_grouped_by_start_and_lines_by_place),
		cmocka_unit_test(async_callers_are_listed_below_the_function_that_they_await),
		cmocka_unit_test(a_recursive_function_counts_once_per_stack),
		cmocka_unit_test(rows_of_equal_size_keep_their_order_when_a_tree_is_cut),
		cmocka_unit_test(
			a_thread_other_than_the_main_thread_is_a_worker_if_it_runs_javascript),
		cmocka_unit_test(time_of_code_outside_the_application_is_shown_by_origin),
		cmocka_unit_test(
			a_query_for_an_unknown_function_or_with_an_invalid_pattern_is_an_error),
		cmocka_unit_test(options_since_and_until_select_samples_by_time),
		cmocka_unit_test(the_origin_of_code_is_derived_from_the_path),
		cmocka_unit_test(the_package_name_and_version_are_derived_from_the_path),
		cmocka_unit_test(
			native_frames_without_a_file_belong_to_the_only_file_of_their_name),
	};

	return CHECK_RUN(tests);
}
