/* SPDX-License-Identifier: BSD-2-Clause */

/* Source maps: positions and names, index maps, and maps that are refused. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/sourcemap/source_map.h"
#include "../../inspect/util/cleanup.h"
#include "../check.h"

static int read_map(struct source_map **map, const char *text)
{
	return source_map_new(map, text, strlen(text));
}

/* The entry of the map for a position, as "SOURCE:LINE:COLUMN NAME", or "-" for none. */
static const char *look(const struct source_map *map, u32 line, u32 column)
{
	static char text[256];
	struct source_map_place at;

	if (source_map_find(map, line, column, &at))
		return "-";
	snprintf(text, sizeof(text), "%s:%u:%u%s%s%s", at.source, at.line, at.column,
		 at.name ? " " : "", at.name ? at.name : "", at.is_ignored ? " ignored" : "");
	return text;
}

/*
 * Line 1: column 1 maps to a.ts:1:1, column 9 to a.ts:2:3 named "f", column 13 to nothing. Line 3:
 * column 1 maps to b.ts:1:1.
 */
static const char plain[] = "{\"version\":3,\"sources\":[\"a.ts\",\"b.ts\"],\"names\":[\"f\"],"
			    "\"mappings\":\"AAAA,QACEA,I;;ACDF\"}";

static void source_and_name_of_a_generated_position_are_found(void **state)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;

	(void)state;
	assert_int_equal(read_map(&map, plain), 0);
	assert_string_equal(look(map, 1, 1), "a.ts:1:1");
	assert_string_equal(look(map, 1, 8), "a.ts:1:1");
	assert_string_equal(look(map, 1, 9), "a.ts:2:3 f");
	assert_string_equal(look(map, 1, 12), "a.ts:2:3 f");
	assert_string_equal(look(map, 1, 13), "-"); /* a segment without a source */
	assert_string_equal(look(map, 2, 1), "-");
	assert_string_equal(look(map, 3, 5), "b.ts:1:1");
	assert_string_equal(look(map, 4, 1), "-");
	assert_string_equal(look(map, 0, 1), "-");
	assert_string_equal(look(map, 1, 0), "-");
}

static void name_of_a_segment_applies_only_to_the_position_where_it_starts(void **state)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;
	struct source_map_place at;

	(void)state;
	assert_int_equal(read_map(&map, plain), 0);
	assert_int_equal(source_map_find_start(map, 1, 9, &at), 0);
	assert_string_equal(at.name, "f");
	assert_int_equal(source_map_find_start(map, 1, 10, &at), -ENOENT);
	assert_int_equal(source_map_find_start(map, 1, 0, &at), -ENOENT);
}

static void source_paths_are_relative_to_source_root_unless_absolute(void **state)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;

	(void)state;
	assert_int_equal(read_map(&map, ")]}' guard\n{\"version\":3,\"sourceRoot\":\"../src\","
					"\"sources\":[\"a.ts\",\"/b.ts\",\"webpack://x/c.ts\","
					"\"\\u0000d\",null],"
					"\"x_google_ignoreList\":[1,9,-1],"
					"\"mappings\":\"AAAA,CCAA,CCAA,CCAA,CCAA\"}"),
			 0);
	assert_string_equal(look(map, 1, 1), "../src/a.ts:1:1");
	assert_string_equal(look(map, 1, 2), "/b.ts:1:1 ignored");
	assert_string_equal(look(map, 1, 3), "webpack://x/c.ts:1:1");
	assert_string_equal(look(map, 1, 4), "../src/d:1:1");
	assert_string_equal(look(map, 1, 5), "-");
}

#define SECTION(line, column, source, mappings)                                                    \
	"{\"offset\":{\"line\":" #line ",\"column\":" #column "},\"map\":{\"version\":3,"          \
	"\"sources\":[\"" source "\"],\"names\":[\"n_" source "\"],\"mappings\":\"" mappings       \
	"\"}}"

static void section_of_an_index_map_applies_from_its_offset_on(void **state)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;

	(void)state;
	/*
	 * The first section extends past the start of the second, and from that start on the second
	 * is used.
	 */
	assert_int_equal(
		read_map(&map,
			 "{\"version\":3,\"sections\":[" SECTION(
				 0, 2, "a",
				 "AAAA,EAAEA,UAAA;AAAA,GAAG;AAAA") "," SECTION(1, 3, "b",
									       "AAAAA;CAAC") "]}"),
		0);
	assert_string_equal(look(map, 1, 2), "-");
	assert_string_equal(look(map, 1, 3), "a:1:1");
	assert_string_equal(look(map, 1, 5), "a:1:3 n_a");
	assert_string_equal(look(map, 2, 1), "a:1:3");
	assert_string_equal(look(map, 2, 4), "b:1:1 n_b");
	assert_string_equal(look(map, 3, 1), "-");
	assert_string_equal(look(map, 3, 2), "b:1:2");
}

static void segments_of_a_source_map_are_sorted_if_they_are_unsorted(void **state)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;

	(void)state;
	assert_int_equal(read_map(&map, "{\"version\":3,\"sources\":[\"a\"],"
					"\"mappings\":\"IAAA,JAAC\"}"),
			 0);
	assert_string_equal(look(map, 1, 4), "a:1:2");
	assert_string_equal(look(map, 1, 5), "a:1:1");
}

#define MAP(mappings)                                                                              \
	"{\"version\":3,\"sources\":[\"a\"],\"names\":[],\"mappings\":\"" mappings "\"}"

static void malformed_source_map_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"1",
		"[]",
		"{",
		"{}",
		"{\"version\":3}",
		"{\"version\":2,\"sources\":[\"a\"],\"mappings\":\"AAAA\"}",
		"{\"version\":3,\"sources\":\"a\",\"mappings\":\"AAAA\"}",
		"{\"version\":3,\"sources\":[\"a\"],\"mappings\":1}",
		MAP("AA"), /* a wrong number of fields */
		MAP("AAA"),
		MAP("AAAAAA"),
		MAP("AAAg"), /* an unterminated number */
		MAP("gggggggA"), /* a number with too many digits */
		MAP("A!AA"),
		MAP("ACAA"), /* a source index out of range */
		MAP("ADAA"), /* a source index below 0 */
		MAP("D"),
		MAP("AAAD"),
		MAP("AAAAA"), /* a name index out of range */
		MAP("+/////D,+/////D"), /* columns beyond the limit */
		"{\"version\":3,\"sections\":1}",
		"{\"version\":3,\"sections\":[{\"map\":{}}]}",
		"{\"version\":3,\"sections\":[{\"offset\":{\"line\":-1,\"column\":0}}]}",
		"{\"version\":3,\"sections\":[" SECTION(2, 0, "a", "AAAA") "," SECTION(1, 0, "b",
										       "AAAA") "]}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct source_map *map = NULL;

		assert_int_equal(read_map(&map, bad[i]), -ENOEXEC);
		assert_null(map);
	}
}

/* Returns @head, @n times @unit, and @tail in new memory. */
static char *repeat(const char *head, const char *unit, size_t n, const char *tail)
{
	size_t len = strlen(unit);
	char *text = malloc(strlen(head) + n * len + strlen(tail) + 1), *p = text;

	assert_non_null(text);
	p = stpcpy(p, head);
	for (size_t i = 0; i < n; i++)
		p = stpcpy(p, unit);
	strcpy(p, tail);
	return text;
}

#define SECTIONS "{\"version\":3,\"sections\":[{\"offset\":{\"line\":0,\"column\":0},\"map\":"

static void source_map_that_exceeds_a_limit_is_refused(void **state)
{
	static const struct {
		const char *head, *unit, *tail;
		size_t n;
		int want;
	} cases[] = {
		{ "{\"version\":3,\"x\":[0", ",0", "]}", 1u << 20, -EFBIG },
		{ "{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AAAA", ",AAAA", "\"}",
		  4u << 20, -EFBIG },
		{ "{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AAAA", ";", "\"}", 4u << 20,
		  0 },
		{ "", "[", "", 1u << 19, -ENOEXEC },
		{ "", " ", "", (64u << 20) + 1, -EFBIG },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_(source_map_free) struct source_map *map = NULL;
		_cleanup_free_ char *text =
			repeat(cases[i].head, cases[i].unit, cases[i].n, cases[i].tail);

		assert_int_equal(read_map(&map, text), cases[i].want);
	}
}

static void index_map_nested_more_than_four_deep_is_refused(void **state)
{
	(void)state;
	for (u32 depth = 0; depth < 7; depth++) {
		_cleanup_(source_map_free) struct source_map *map = NULL;
		_cleanup_free_ char *text = repeat("", SECTIONS, depth, MAP("AAAA"));
		_cleanup_free_ char *all = repeat(text, "}]}", depth, "");

		assert_int_equal(read_map(&map, all), depth <= 4 ? 0 : -ENOEXEC);
	}
}

/* With a sourceRoot of 4 kB, the full paths of 100,000 sources would take 400 MB. */
static void source_map_is_refused_if_its_full_source_paths_are_too_long_in_total(void **state)
{
	_cleanup_(source_map_free) struct source_map *map = NULL;
	_cleanup_free_ char *root = repeat("{\"version\":3,\"mappings\":\"\",\"sourceRoot\":\"",
					   "r", 4000, "\",\"sources\":[\"\"");
	_cleanup_free_ char *text = repeat(root, ",\"\"", 100000, "]}");

	(void)state;
	assert_int_equal(read_map(&map, text), -ENOMEM);
}

static void source_map_truncated_at_any_byte_is_refused(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(plain) - 1; len++) {
		struct source_map *map = NULL;
		_cleanup_free_ char *text = malloc(len + 1);

		memcpy(text, plain, len);
		assert_int_equal(source_map_new(&map, text, len), -ENOEXEC);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(source_and_name_of_a_generated_position_are_found),
	cmocka_unit_test(name_of_a_segment_applies_only_to_the_position_where_it_starts),
	cmocka_unit_test(source_paths_are_relative_to_source_root_unless_absolute),
	cmocka_unit_test(section_of_an_index_map_applies_from_its_offset_on),
	cmocka_unit_test(segments_of_a_source_map_are_sorted_if_they_are_unsorted),
	cmocka_unit_test(malformed_source_map_is_refused),
	cmocka_unit_test(source_map_that_exceeds_a_limit_is_refused),
	cmocka_unit_test(index_map_nested_more_than_four_deep_is_refused),
	cmocka_unit_test(source_map_is_refused_if_its_full_source_paths_are_too_long_in_total),
	cmocka_unit_test(source_map_truncated_at_any_byte_is_refused),
};

int main(void)
{
	return CHECK_RUN(tests);
}
