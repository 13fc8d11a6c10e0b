/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The URL of a source map: how it is found in a text, decoded if it is a data: URL, and resolved
 * relative to a file.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/sourcemap/map_url.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define WORDS "//# sourceMappingURL="

static void source_map_url_is_read_from_the_last_comment_of_a_script(void **state)
{
	static const struct {
		const char *text, *url;
	} cases[] = {
		{ "", NULL },
		{ "f();", NULL },
		{ WORDS, NULL },
		{ WORDS "a.map", "a.map" },
		{ "f();\n" WORDS "a.map\n\n", "a.map" },
		{ "f(); //@ sourceMappingURL=a.map", "a.map" },
		{ "//" WORDS "a.map", "a.map" },
		{ "///# sourceMapping" WORDS "a.map", "a.map" },
		{ "f();\n" WORDS "a.map \t\r\n", "a.map" },
		{ WORDS "a.map\nf();\n" WORDS "b.map", "b.map" },
		{ WORDS "a.map\n" WORDS "b.map", "b.map" },
		{ WORDS "a.map\n//# sourceURL=x.ts\n", "a.map" },
		{ WORDS "a.map\n/ 2", NULL },
		{ WORDS "a.map\nf();", NULL }, /* comment of a bundled source */
		{ "f('" WORDS "' + url)", NULL },
		{ "f(\"" WORDS "a.map\")", NULL },
		{ "f(`" WORDS "${url}`)", NULL },
		{ "// # sourceMappingURL=a.map", NULL },
		{ "//# sourceMappingURL a.map", NULL },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		size_t len = 0;
		const char *found = map_url_find(cases[i].text, strlen(cases[i].text), &len);

		assert_int_equal(found != NULL, cases[i].url != NULL);
		if (found) {
			assert_int_equal(len, strlen(cases[i].url));
			assert_memory_equal(found, cases[i].url, len);
		}
	}
}

static u64 hash_of(const char *text)
{
	struct map_url_scan s = { 0 };

	while (*text)
		map_url_scan(&s, (u8)*text++);
	return s.hash;
}

static void different_urls_have_different_hashes(void **state)
{
	(void)state;
	assert_int_equal(hash_of("f();" WORDS "a.map"), hash_of(WORDS "a.map"));
	assert_int_not_equal(hash_of(WORDS "a.map"), hash_of(WORDS "b.map"));
	assert_int_not_equal(hash_of(WORDS "ab.map"), hash_of(WORDS "ba.map"));
}

static void source_map_in_a_data_url_is_decoded(void **state)
{
	static const struct {
		const char *url, *text;
	} cases[] = {
		{ "data:application/json;base64,e30=", "{}" },
		{ "data:application/json;charset=utf-8;base64,eyJhIjoxfQ==", "{\"a\":1}" },
		{ "data:;base64,eyJhIjoxfQ", "{\"a\":1}" },
		{ "data:;base64,eyJhIjoxfQ%3D%3d", "{\"a\":1}" },
		{ "data:application/json,%7B%22a%22:1}", "{\"a\":1}" },
		{ "data:,100%", "100%" },
		{ "data:,%zz%4", "%zz%4" },
		{ "data:,", "" },
		{ "data:;base64,e3!=", NULL },
		{ "data:application/json;base64", NULL },
		{ "app.js.map", NULL },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		_cleanup_free_ char *text = NULL;
		size_t len = 0;

		assert_int_equal(map_url_decode(cases[i].url, &text, &len),
				 cases[i].text ? 0 : -ENOEXEC);
		if (cases[i].text) {
			assert_string_equal(text, cases[i].text);
			assert_int_equal(len, strlen(cases[i].text));
		}
	}
}

static void source_map_url_is_resolved_relative_to_the_script_file(void **state)
{
	static const struct {
		const char *file, *url, *path;
	} cases[] = {
		{ "/srv/dist/app.js", "app.js.map", "/srv/dist/app.js.map" },
		{ "/srv/dist/app.js", "../maps/app.js.map", "/srv/maps/app.js.map" },
		{ "/srv/dist/app.js", "./a/../b//c.map", "/srv/dist/b/c.map" },
		{ "/srv/dist/app.js", "../../../../x", "/x" },
		{ "/srv/dist/app.js", "/maps/x", "/maps/x" },
		{ "/srv/dist/app.js", "..", "/srv" },
		{ "file:///srv/a%20b/app.js", "app.js.map", "/srv/a b/app.js.map" },
		{ "/srv/app.js", "file:///srv/x.map", "/srv/x.map" },
		{ "/srv/app.js", "https://cdn.example/x.map", "https://cdn.example/x.map" },
		{ "/srv/app.js", "webpack://app/./src/../a.ts", "webpack://app/a.ts" },
		{ "app.js", "app.js.map", "app.js.map" },
		{ "app.js", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		_cleanup_free_ char *path = map_url_resolve(cases[i].file, cases[i].url);

		assert_string_equal(path, cases[i].path);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(source_map_url_is_read_from_the_last_comment_of_a_script),
	cmocka_unit_test(different_urls_have_different_hashes),
	cmocka_unit_test(source_map_in_a_data_url_is_decoded),
	cmocka_unit_test(source_map_url_is_resolved_relative_to_the_script_file),
};

int main(void)
{
	return CHECK_RUN(tests);
}
