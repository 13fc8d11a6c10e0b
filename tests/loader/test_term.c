/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the escaping of hostile names for a terminal. */

#include <string.h>

#include "../../inspect/util/cli.h"
#include "../../inspect/util/term.h"
#include "../check.h"

static const struct row {
	const char *in, *out;
} rows[] = {
	{ "server.js", "server.js" },
	{ "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\xa2",
	  "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\xa2" },
	{ "\x1b[2J\x07", "\\x1b[2J\\x07" },
	{ "a\nb\tc\x7f", "a\\nb\\tc\\x7f" },
	{ "\xc2\x9b"
	  "31m",
	  "\\x9b31m" }, /* CSI as a single C1 character */
	{ "ab\xe2\x80\xae"
	  "dc",
	  "ab\\u202edc" }, /* right-to-left override */
	{ "\xe2\x81\xa6x\xe2\x81\xa9", "\\u2066x\\u2069" },
	{ "\xd8\x9c", "\\u061c" },
	{ "\xe2\x80\xa8", "\\u2028" },
	{ "\xff\xfe", "\\xff\\xfe" },
	{ "\xc0\xaf", "\\xc0\\xaf" }, /* overlong '/' */
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" }, /* surrogate */
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" }, /* above U+10FFFF */
	{ "x\xe6\x97", "x\\xe6\\x97" }, /* cut off */
	{ "\xef\xbf\xbd", "\xef\xbf\xbd" }, /* a genuine replacement character */
	{ "\xef\xbf", "\\xef\\xbf" },
};

static void control_characters_in_names_are_escaped(void **state)
{
	char out[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(term_escape(rows[i].in, out, sizeof(out)), rows[i].out);
}

static void long_names_are_cut_between_characters(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t size = 1; size <= strlen(rows[i].out); size++) {
			char out[64];

			memset(out, 'z', sizeof(out));
			term_escape(rows[i].in, out, size);
			assert_true(strlen(out) < size);
			assert_memory_equal(out, rows[i].out, strlen(out));
			assert_true(out[size] == 'z');
			assert_true((rows[i].out[strlen(out)] & 0xc0) != 0x80);
		}
	}
}

static void a_misspelled_word_is_matched_to_the_nearest_known_word(void **state)
{
	static const char *const words[] = { "record", "report", "convert", "ps", "doctor" };

	(void)state;
	assert_string_equal(cli_nearest("recrod", words, 5), "record");
	assert_string_equal(cli_nearest("reprot", words, 5), "report");
	assert_string_equal(cli_nearest("covert", words, 5), "convert");
	assert_string_equal(cli_nearest("p", words, 5), "ps");
	assert_string_equal(cli_nearest("docter", words, 5), "doctor");
	assert_null(cli_nearest("xyz", words, 5));
	assert_null(cli_nearest("", words, 5));
	assert_null(cli_nearest("record", words, 0));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_in_names_are_escaped),
		cmocka_unit_test(long_names_are_cut_between_characters),
		cmocka_unit_test(a_misspelled_word_is_matched_to_the_nearest_known_word),
	};

	return CHECK_RUN(tests);
}
