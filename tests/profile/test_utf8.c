/* SPDX-License-Identifier: BSD-2-Clause */
#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/utf8.h"

#define R UTF8_REPLACEMENT

struct row {
	const char *bytes;
	u32 points[8]; /* ends with 0 */
};

static const struct row rows[] = {
	{ "az", { 'a', 'z' } },
	{ "\x7f", { 0x7f } },
	{ "\xc2\x80", { 0x80 } },
	{ "\xdf\xbf", { 0x7ff } },
	{ "\xe0\xa0\x80", { 0x800 } },
	{ "\xed\x9f\xbf", { 0xd7ff } },
	{ "\xee\x80\x80", { 0xe000 } },
	{ "\xef\xbf\xbf", { 0xffff } },
	{ "\xf0\x90\x80\x80", { 0x10000 } },
	{ "\xf4\x8f\xbf\xbf", { 0x10ffff } },
	/*
	 * Overlong sequences, surrogates, too large code points: each byte is replaced
	 * separately.
	 */
	{ "\xc0\xaf", { R, R } },
	{ "\xc1\xbf", { R, R } },
	{ "\xe0\x9f\xbf", { R, R, R } },
	{ "\xf0\x8f\xbf\xbf", { R, R, R, R } },
	{ "\xed\xa0\x80", { R, R, R } },
	{ "\xed\xb0\x80", { R, R, R } },
	{ "\xf4\x90\x80\x80", { R, R, R, R } },
	{ "\xf5\x80", { R, R } },
	{ "\xff\xfe", { R, R } },
	/* The example of the Unicode standard, 15.0, table 3-11. */
	{ "\xe1\x80\xe2\xf0\x91\x92\xf1\xbf", { R, R, R, R } },
	/* Cut. */
	{ "a\xe2\x82", { 'a', R } },
	{ "\xf0\x9f\x98z", { R, 'z' } },
};

static u32 decode_all(const char *s, size_t len, u32 *points)
{
	u32 n = 0;

	for (size_t at = 0; at < len; n++)
		at += utf8_decode(s + at, len - at, &points[n]);
	points[n] = 0;
	return n;
}

static void valid_utf8_sequences_are_decoded_and_invalid_sequences_are_replaced(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		u32 points[16];
		u32 n = decode_all(rows[i].bytes, strlen(rows[i].bytes), points);

		for (u32 k = 0; k <= n; k++)
			assert_int_equal(points[k], rows[i].points[k]);
	}
}

static void decoding_reads_no_byte_beyond_the_end_of_the_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t len = strlen(rows[i].bytes);

		for (size_t cut = 1; cut <= len; cut++) {
			/*
			 * The copy is on the heap with its exact size, so that valgrind and
			 * ASan detect a read past its end.
			 */
			char *copy = malloc(cut);
			u32 points[16];

			memcpy(copy, rows[i].bytes, cut);
			assert_true(decode_all(copy, cut, points) >= 1);
			free(copy);
		}
	}
}

static void every_code_point_is_unchanged_by_encoding_and_decoding(void **state)
{
	(void)state;
	for (u32 cp = 0; cp <= 0x10ffff; cp++) {
		char bytes[UTF8_MAX_LEN];
		u32 back = 0;
		size_t n;

		if (cp >= 0xd800 && cp <= 0xdfff)
			continue;
		n = utf8_put(cp, bytes);
		assert_int_equal(utf8_decode(bytes, n, &back), n);
		assert_int_equal(back, cp);
	}
}

static void controls_and_bidirectional_marks_are_distinguished_from_letters(void **state)
{
	static const u32 control[] = { 0,      '\n',   0x1b,   0x1f,   0x7f,   0x80,
				       0x9b,   0x9f,   0x61c,  0x200e, 0x200f, 0x2028,
				       0x2029, 0x202a, 0x202e, 0x2066, 0x2069 };
	static const u32 harmless[] = {
		' ', '~', 0xa0, 0xe9, 0x5d0, 0x200d, 0x2030, 0x206a, 0x1f600
	};

	(void)state;
	for (size_t i = 0; i < sizeof(control) / sizeof(*control); i++)
		assert_true(utf8_is_control(control[i]));
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		assert_false(utf8_is_control(harmless[i]));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(valid_utf8_sequences_are_decoded_and_invalid_sequences_are_replaced),
	cmocka_unit_test(decoding_reads_no_byte_beyond_the_end_of_the_text),
	cmocka_unit_test(every_code_point_is_unchanged_by_encoding_and_decoding),
	cmocka_unit_test(controls_and_bidirectional_marks_are_distinguished_from_letters),
};

int main(void)
{
	return CHECK_RUN(tests);
}
