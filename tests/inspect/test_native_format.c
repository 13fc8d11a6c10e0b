/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Reading of the runtime's native format. The bytes of the tests were written from the
 * specification.
 */

#include <errno.h>

#include "../../inspect/dotnet/native_format.h"
#include "../../inspect/dotnet/r2r.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void length_of_an_integer_is_encoded_in_its_first_byte(void **state)
{
	static const struct {
		u8 bytes[5], len;
		u32 u;
		s32 s;
	} rows[] = {
		{ { 0x00 }, 1, 0, 0 },
		{ { 0x7e }, 1, 63, 63 },
		{ { 0x80 }, 1, 64, -64 },
		{ { 0xfe }, 1, 127, -1 },
		{ { 0x01, 0x02 }, 2, 128, 128 },
		{ { 0xfd, 0xff }, 2, 16383, -1 },
		{ { 0x03, 0x00, 0x02 }, 3, 1 << 14, 1 << 14 },
		{ { 0x07, 0x00, 0x00, 0x02 }, 4, 1 << 21, 1 << 21 },
		{ { 0xf7, 0xff, 0xff, 0xff }, 4, (1 << 28) - 1, -1 },
		{ { 0x0f, 0x78, 0x56, 0x34, 0x12 }, 5, 0x12345678, 0x12345678 },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff }, 5, 0xffffffff, -1 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct native_format f = { rows[i].bytes, rows[i].len };
		u32 pos = 0, u;
		s32 s;

		assert_int_equal(native_format_uint(&f, &pos, &u), 0);
		assert_int_equal(pos, rows[i].len);
		assert_int_equal(u, rows[i].u);
		pos = 0;
		assert_int_equal(native_format_sint(&f, &pos, &s), 0);
		assert_int_equal(s, rows[i].s);
		for (f.len = 0; f.len < rows[i].len; f.len++) {
			pos = 0;
			assert_int_equal(native_format_uint(&f, &pos, &u), -EINVAL);
			assert_int_equal(pos, 0);
		}
	}
}

/*
 * 17 indexes, byte-wide table at 1: index 5 has the element 0x22, index 9 the element 0x44,
 * index 16 the element 0x66.
 *
 *	3: node with both halves, the upper one 3 bytes after it; leaf 5; leaf 9
 */
static const u8 array[] = {
	17 << 3,
	2,
	9, /* head: 17 << 2 | 0, as an integer; offsets from byte 1 */
	(3 << 2 | 3) << 1,
	5 << 3,
	0x22, /* node at 3, leaf at 4, element at 5 */
	9 << 3,
	0x44,
	0,
	0, /* leaf at 6 */
	0 << 3,
	0x66, /* leaf at 10 */
};

static void every_element_of_a_sparse_array_is_found(void **state)
{
	struct native_format f = { array, sizeof(array) };
	u32 n, pos;

	(void)state;
	assert_int_equal(native_format_array_len(&f, &n), 0);
	assert_int_equal(n, 17);
	for (u32 i = 0; i < 20; i++) {
		int r = native_format_array_find(&f, i, &pos);

		assert_int_equal(r, i == 5 || i == 9 || i == 16 ? 0 : -ENOENT);
		if (!r)
			assert_int_equal(array[pos], i == 5 ? 0x22 : i == 9 ? 0x44 : 0x66);
	}
}

static void truncated_array_is_refused_or_gives_the_right_element(void **state)
{
	(void)state;
	for (u32 len = 0; len < sizeof(array); len++) {
		struct native_format f = { array, len };
		u32 pos;

		for (u32 i = 0; i < 17; i++) {
			if (!native_format_array_find(&f, i, &pos)) {
				assert_true(i == 5 || i == 9 || i == 16);
				assert_true(pos < len);
			}
		}
	}
}

/* Two buckets with offsets of one byte: elements 0x11 and 0x22 in the first, 0x33 in the second. */
static const u8 table[] = {
	1 << 2, 3,	7,    9, /* offsets from byte 1 */
	0xaa,	7 << 1, 0xbb, 6 << 1, 0xcc, 5 << 1, 0, 0, 0x11, 0x22, 0x33,
};

struct seen {
	u8 bytes[8];
	u32 n;
};

static int note(u32 pos, void *data)
{
	struct seen *seen = data;

	seen->bytes[seen->n++] = table[pos];
	return seen->n == 8;
}

static void each_element_of_a_hash_table_is_returned_exactly_once(void **state)
{
	struct native_format f = { table, sizeof(table) };
	struct seen seen = {};

	(void)state;
	assert_int_equal(native_format_each(&f, note, &seen), 0);
	assert_int_equal(seen.n, 3);
	assert_memory_equal(seen.bytes, ((u8[]){ 0x11, 0x22, 0x33 }), 3);
	for (f.len = 0; f.len < sizeof(table); f.len++) {
		seen.n = 0;
		assert_int_equal(native_format_each(&f, note, &seen), -EINVAL);
	}
}

static void instantiation_signature_is_parsed(void **state)
{
	/* Type 7 with the arguments __Canon and int; row 300; method argument string. */
	static const u8 bytes[] = {
		0x44, 0x15, 0x12, 7 << 2, 2, 0x3e, 8, 0x81, 0x2c, 1, 0x0e, 0x02
	};
	static const u8 foreign[] = { 0x80, 1, 0 };
	struct r2r_instance i = {};
	const u8 *after = NULL;

	(void)state;
	assert_int_equal(r2r_instance_get(bytes, bytes + sizeof(bytes), &i, &after), 0);
	assert_ptr_equal(i.owner, bytes + 1);
	assert_int_equal(i.row, 300);
	assert_int_equal(i.n_arguments, 1);
	assert_ptr_equal(i.arguments, bytes + 10);
	assert_ptr_equal(after, bytes + 11);
	for (u32 len = 0; len < 11; len++)
		assert_int_equal(r2r_instance_get(bytes, bytes + len, &i, &after), -ENOTSUP);
	assert_int_equal(r2r_instance_get(foreign, foreign + 3, &i, &after), -ENOTSUP);
	assert_int_equal(i.row, 300);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(length_of_an_integer_is_encoded_in_its_first_byte),
	cmocka_unit_test(every_element_of_a_sparse_array_is_found),
	cmocka_unit_test(truncated_array_is_refused_or_gives_the_right_element),
	cmocka_unit_test(each_element_of_a_hash_table_is_returned_exactly_once),
	cmocka_unit_test(instantiation_signature_is_parsed),
};

int main(void)
{
	return CHECK_RUN(tests);
}
