// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests that frames of generated code become frames of the sources. Also tests that maps are
 * found, shared between scripts, and dropped.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../loader/sourcemap/map_frame.h"
#include "../check.h"

/*
 * Line 1: columns 1 to 9 map to a.ts:1, column 10 on to a.ts:5:10 with name "render", column 20 on
 * to b.ts:7. Line 2 has no source.
 */
#define MAP                                                                                        \
	"{\"version\":3,\"sources\":[\"../src/a.ts\",\"b.ts\"],\"names\":[\"render\"],"            \
	"\"ignoreList\":[1],\"mappings\":\"AAAA,SAISA,UCET;A\"}"

static char folder[] = "/tmp/unspool-maps-XXXXXX";
static const char *url; /* NULL: unreadable now */
static const char *before; /* the text before the function */
static u32 n_urls, n_opened, n_texts;
static struct source_maps *maps;

static int give_url(void *data, char **out)
{
	(void)data;
	n_urls++;
	*out = url ? strdup(url) : NULL;
	return url ? 0 : -EFAULT;
}

static int open_map(void *data, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	(void)data;
	n_opened++;
	return fd < 0 ? -errno : fd;
}

static int give_text(void *data, char *text, size_t len)
{
	size_t n = before ? strlen(before) : 0;

	(void)data;
	n_texts++;
	if (!before)
		return -EFAULT;
	assert_in_range(n, 0, len);
	memcpy(text, before, n);
	return (int)n;
}

static void write_map(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	if (!text)
		return;
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static char file[64];

/*
 * Maps a frame whose function starts at @start_column and that executes @column, both in line
 * 1, of the script with this @owner.
 */
static struct prof_frame map_it(u64 owner, u32 start_column, u32 column)
{
	struct source_maps_script script = { .owner = owner,
					     .file = file,
					     .url_hash = url ? strlen(url) + (u8)url[0] : 1,
					     .url = give_url,
					     .open = open_map };
	struct prof_frame f = { .kind = PROF_JS,
				.name = "r",
				.file = file,
				.line = 1,
				.column = column,
				.start_line = 1,
				.start_column = start_column };

	map_frame(maps, &script, &f, give_text, NULL);
	return f;
}

static int begin(void **state)
{
	(void)state;
	snprintf(file, sizeof(file), "%s/app.js", folder);
	url = "app.js.map";
	before = "function r";
	n_urls = n_opened = n_texts = 0;
	write_map("app.js.map", MAP);
	return source_maps_new(&maps);
}

static int finish(void **state)
{
	(void)state;
	source_maps_free(&maps);
	write_map("app.js.map", NULL);
	return 0;
}

static void a_frame_gets_the_position_and_name_in_the_source(void **state)
{
	struct prof_frame f = map_it(1, 11, 15);

	(void)state;
	assert_string_equal(f.file, "/tmp/src/a.ts");
	assert_string_equal(f.name, "render");
	assert_int_equal(f.line, 5);
	assert_int_equal(f.column, 10);
	assert_int_equal(f.start_line, 5);
	assert_int_equal(f.start_column, 10);
	assert_string_equal(f.generated_file, file);
	assert_int_equal(f.generated_line, 1);
	assert_int_equal(f.generated_column, 15);
	assert_false(f.ignored);
}

static void a_frame_has_no_line_if_the_line_and_the_function_are_in_different_sources(void **state)
{
	struct prof_frame f = map_it(1, 11, 30);

	(void)state;
	assert_string_equal(f.file, "/tmp/src/a.ts");
	assert_int_equal(f.start_line, 5);
	assert_int_equal(f.line, 0);
	assert_int_equal(f.column, 0);
	assert_int_equal(f.generated_column, 30);
}

static void top_level_code_of_a_bundle_has_the_source_file_of_its_position(void **state)
{
	struct prof_frame f = map_it(1, 1, 30);

	(void)state;
	assert_non_null(strstr(f.file, "/b.ts"));
	assert_int_equal(f.line, 7);
	assert_int_equal(f.start_line, 0);
	assert_true(f.ignored);
}

static void a_name_in_the_map_is_used_only_if_the_source_text_contains_the_name_there(void **state)
{
	(void)state;
	before = "function s";
	assert_string_equal(map_it(1, 11, 15).name, "r");
	before = "function r";
	assert_string_equal(map_it(2, 12, 15).name, "r"); /* the function begins one column later */
	assert_string_equal(map_it(2, 11, 15).name, "render");
	assert_int_equal(n_texts, 3);
	assert_string_equal(map_it(2, 11, 19).name, "render");
	assert_int_equal(n_texts, 3); /* the text is cached */
}

static void source_text_that_was_unreadable_is_read_again_later(void **state)
{
	(void)state;
	before = NULL;
	assert_string_equal(map_it(1, 11, 15).name, "r");
	before = "function r";
	assert_string_equal(map_it(1, 11, 15).name, "render");
}

static void a_position_that_has_no_source_stays_in_the_generated_file(void **state)
{
	struct prof_frame f;

	(void)state;
	write_map("app.js.map", "{\"version\":3,\"sources\":[],\"mappings\":\"A\"}");
	f = map_it(1, 11, 15);
	assert_string_equal(f.file, file);
	assert_int_equal(f.line, 1);
	assert_int_equal(f.start_column, 11);
	assert_null(f.generated_file);
}

/* A script with an inline map is not in a file, so its lines can't be looked up. */
static void a_position_that_has_no_source_in_an_inline_map_has_no_line(void **state)
{
	struct prof_frame f;

	(void)state;
	url = "data:,{\"version\":3,\"sources\":[],\"mappings\":\"A\"}";
	f = map_it(1, 11, 15);
	assert_string_equal(f.file, file);
	assert_int_equal(f.line, 0);
	assert_int_equal(f.start_line, 0);
	assert_int_equal(f.start_column, 0);
	assert_int_equal(f.generated_line, 1);
	assert_int_equal(f.generated_column, 15);
}

static void source_paths_of_an_inline_map_are_relative_to_the_script(void **state)
{
	struct prof_frame f;

	(void)state;
	url = "data:,{\"version\":3,\"sources\":[\"x.ts\"],\"mappings\":\"AAAA\"}";
	f = map_it(1, 11, 15);
	assert_int_equal(strlen(f.file), strlen(folder) + strlen("/x.ts"));
	assert_non_null(strstr(f.file, "/x.ts"));
}

static void a_source_map_file_is_parsed_once_for_all_processes(void **state)
{
	(void)state;
	for (u64 owner = 1; owner < 4; owner++)
		for (u32 i = 0; i < 3; i++)
			assert_int_equal(map_it(owner, 11, 15).line, 5);
	assert_int_equal(n_urls, 3);
	assert_int_equal(n_opened, 3);
	assert_int_equal(source_maps_count(maps), 1);
	/* If a file of the same name changes, it is another map. */
	write_map("app.js.map", "{\"version\":3,\"sources\":[\"c.ts\"],\"mappings\":\"AAEA\"}");
	assert_int_equal(map_it(4, 11, 15).line, 3);
	assert_int_equal(map_it(3, 11, 15).line, 5);
}

static void a_source_map_url_that_was_unreadable_is_read_again_later(void **state)
{
	char text[512];

	(void)state;
	url = NULL;
	assert_int_equal(map_it(1, 11, 15).line, 1);
	assert_int_equal(map_it(1, 11, 15).line, 1);
	assert_int_equal(n_urls, 2);
	assert_false(source_maps_problem(maps, text, sizeof(text)));
}

static void missing_and_malformed_source_maps_are_reported_once_each(void **state)
{
	static const struct {
		const char *url, *map, *words;
	} cases[] = {
		{ "app.js.map", NULL, "app.js: its source map app.js.map is missing" },
		{ "app.js.map", "{}", "app.js: its source map app.js.map is malformed" },
		{ "data:,{}", NULL, "app.js: its source map is malformed" },
		{ "https://cdn.example/x.map", NULL, "x.map is missing" },
		{ "app%2ejs.map", MAP, NULL },
	};
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		source_maps_free(&maps);
		assert_int_equal(source_maps_new(&maps), 0);
		url = cases[i].url;
		write_map("app.js.map", cases[i].map);
		map_it(1, 11, 15);
		map_it(1, 11, 15);
		assert_int_equal(source_maps_problem(maps, text, sizeof(text)),
				 cases[i].words != NULL);
		if (!cases[i].words)
			continue;
		assert_non_null(strstr(text, cases[i].words));
		assert_null(strstr(text, "more)"));
		map_it(2, 11, 15);
		assert_true(source_maps_problem(maps, text, sizeof(text)));
		assert_non_null(strstr(text, "(and 1 more)"));
	}
}

static void source_maps_of_the_oldest_scripts_are_dropped_and_read_again_if_needed(void **state)
{
	(void)state;
	for (u64 owner = 0; owner < 5000; owner++)
		assert_int_equal(map_it(owner, 11, 15).line, 5);
	assert_int_equal(n_urls, 5000);
	assert_int_equal(map_it(4999, 11, 15).line, 5);
	assert_int_equal(n_urls, 5000);
	assert_int_equal(map_it(0, 11, 15).line, 5);
	assert_int_equal(n_urls, 5001);
}

/* A minifier renamed the function to "r", and the map has no name for it. */
static void a_minified_name_is_replaced_by_the_name_in_the_source_text(void **state)
{
	static const struct {
		const char *content, *name;
	} cases[] = {
		{ "function draw(x) {}", "draw" },
		{ "draw = 1", "r" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		_cleanup_free_ char *map = NULL;
		const char *name;

		assert_true(asprintf(&map,
				     "{\"version\":3,\"sources\":[\"a\"],"
				     "\"sourcesContent\":[\"%s\"],\"mappings\":\"AAAA\"}",
				     cases[i].content) > 0);
		write_map("app.js.map", map);
		name = map_it(i, 11, 15).name;
		assert_string_equal(name, cases[i].name);
		assert_ptr_equal(map_it(i, 11, 15).name, name); /* the string is stored only once */
	}
}

static void the_function_name_is_found_in_the_text_before_the_parameters(void **state)
{
	static const struct {
		const char *text, *name;
	} cases[] = {
		{ "function f", "f" },
		{ "async function* f ", "f" },
		{ "class A{static #m", "#m" },
		{ "f=", "f" },
		{ "let f = ", "f" },
		{ "a.b=", "b" },
		{ "{f:", "f" },
		{ "f=function", "f" },
		{ "f = async function* ", "f" },
		{ "f=async ", "f" },
		{ "f=__name(", "f" },
		{ "f = /* @__PURE__ */ __name(async function", "f" },
		{ "f(", NULL },
		{ "f(a,", NULL },
		{ "f(function", NULL },
		{ "f==", NULL },
		{ "f+=function", NULL },
		{ "f?", NULL },
		{ "f||", NULL },
		{ "f(__name(", NULL },
		{ "", NULL },
		{ "=", NULL },
		{ "\x80t=", NULL },
		{ "*/", NULL },
		{ "/**/ __name(", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct map_frame_name name;
		int r = map_frame_name(cases[i].text, strlen(cases[i].text), &name);

		assert_int_equal(r, cases[i].name ? 0 : -ENOENT);
		if (!r) {
			assert_int_equal(name.len, strlen(cases[i].name));
			assert_memory_equal(cases[i].text + name.off, cases[i].name, name.len);
			assert_int_equal(name.is_given, strstr(cases[i].text, "__name") != NULL);
		}
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_frame_gets_the_position_and_name_in_the_source),
		TEST(a_frame_has_no_line_if_the_line_and_the_function_are_in_different_sources),
		TEST(top_level_code_of_a_bundle_has_the_source_file_of_its_position),
		TEST(a_name_in_the_map_is_used_only_if_the_source_text_contains_the_name_there),
		TEST(source_text_that_was_unreadable_is_read_again_later),
		TEST(a_position_that_has_no_source_stays_in_the_generated_file),
		TEST(a_position_that_has_no_source_in_an_inline_map_has_no_line),
		TEST(source_paths_of_an_inline_map_are_relative_to_the_script),
		TEST(a_source_map_file_is_parsed_once_for_all_processes),
		TEST(a_source_map_url_that_was_unreadable_is_read_again_later),
		TEST(missing_and_malformed_source_maps_are_reported_once_each),
		TEST(source_maps_of_the_oldest_scripts_are_dropped_and_read_again_if_needed),
		TEST(a_minified_name_is_replaced_by_the_name_in_the_source_text),
		cmocka_unit_test(the_function_name_is_found_in_the_text_before_the_parameters),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = CHECK_RUN(tests);
	rmdir(folder);
	return failed;
}
