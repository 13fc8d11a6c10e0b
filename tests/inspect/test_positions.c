/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Position tables of one function, copied from the memory of Node.js 24.21.0 (V8
 * 13.6) and 26.10.0 (14.6), and compared with the output of --print-bytecode:
 *
 *	function known(a, b) {
 *		nop(a);
 *
 *		if (a > b)
 *			nop(b); else nop(a + b);
 *		for (let i = 0; i < 1e9; i++)
 *			sink = (sink + i) | 0;
 *		return sink;
 *	}
 */

#include <errno.h>

#include "../../inspect/v8/v8_positions.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static const u8 table_13_6[] = {
	0x01, 0xf8, 0x01, 0x02, 0x28, 0x07, 0x00, 0x08, 0x28, 0x05, 0x18, 0x0a, 0x1c, 0x07, 0x00,
	0x0c, 0x34, 0x0b, 0x18, 0x09, 0x17, 0x08, 0x68, 0x04, 0x14, 0x0d, 0x00, 0x0a, 0x38, 0x0f,
	0x34, 0x07, 0x14, 0x07, 0x33, 0x04, 0x2b, 0x0b, 0x67, 0x08, 0xe0, 0x01, 0x08, 0x30,
};
static const u8 table_14_6[] = {
	0x02, 0xf8, 0x01, 0x07, 0x28, 0x0e, 0x00, 0x13, 0x28, 0x0a, 0x18, 0x1b, 0x1c, 0x0e, 0x00,
	0x1b, 0x34, 0x16, 0x18, 0x12, 0x17, 0x13, 0x68, 0x0b, 0x14, 0x1a, 0x00, 0x1b, 0x38, 0x1e,
	0x34, 0x0e, 0x14, 0x0e, 0x33, 0x0b, 0x2b, 0x16, 0x67, 0x13, 0xe0, 0x01, 0x13, 0x30,
};

/* The output of --print-bytecode: bytecode offset, source position. */
struct entry {
	int offset, pos;
};
static const struct entry listing_13_6[] = {
	{ 0, 71 },   { 3, 71 },	  { 7, 81 },   { 9, 87 },   { 14, 94 },	 { 17, 94 },  { 23, 107 },
	{ 28, 113 }, { 32, 107 }, { 36, 133 }, { 38, 138 }, { 44, 138 }, { 49, 152 }, { 56, 165 },
	{ 59, 170 }, { 62, 157 }, { 64, 146 }, { 69, 120 }, { 73, 176 }, { 77, 188 }, { 78, -1 },
};
static const struct entry listing_14_6[] = {
	{ 0, 71 },   { 3, 71 },	  { 7, 81 },   { 9, 87 },   { 15, 94 },	 { 18, 94 },  { 24, 107 },
	{ 29, 113 }, { 33, 107 }, { 37, 133 }, { 39, 138 }, { 45, 138 }, { 51, 152 }, { 58, 165 },
	{ 61, 170 }, { 64, 157 }, { 66, 146 }, { 71, 120 }, { 75, 176 }, { 79, 188 }, { 80, -1 },
};

/* Expects at each bytecode offset the position of the last entry at or before it. */
static void check_listing(const u8 *table, size_t n, bool is_v14, const struct entry *e, size_t n_e)
{
	u64 pos;

	for (size_t i = 0; i + 1 < n_e; i++) {
		for (int off = e[i].offset; off < e[i + 1].offset; off++) {
			assert_int_equal(
				v8_positions_find(v8_positions_of(table, n, is_v14), off, &pos), 0);
			assert_int_equal(v8_position_offset(pos), e[i].pos);
			assert_int_equal(v8_position_inlining(pos), -1);
		}
	}
}

static void positions_of_v8_13_agree_with_v8s_bytecode_listing(void **state)
{
	(void)state;
	check_listing(table_13_6, sizeof(table_13_6), false, listing_13_6, N(listing_13_6));
}

static void positions_of_v8_14_agree_with_v8s_bytecode_listing(void **state)
{
	(void)state;
	check_listing(table_14_6, sizeof(table_14_6), true, listing_14_6, N(listing_14_6));
}

/* The negative control: read in the other encoding, some position must differ. */
static void positions_differ_from_v8s_listing_if_the_wrong_encoding_is_assumed(void **state)
{
	int differ = 0;
	u64 pos;

	(void)state;
	for (size_t i = 0; i + 1 < N(listing_13_6); i++)
		differ += v8_positions_find(v8_positions_of(table_13_6, sizeof(table_13_6), true),
					    listing_13_6[i].offset, &pos) ||
			  v8_position_offset(pos) != listing_13_6[i].pos;
	assert_true(differ > 10);
}

/* A truncated table gives the right position, or that of an earlier bytecode. */
static void truncated_position_table_never_gives_the_position_of_a_later_bytecode(void **state)
{
	u64 pos;

	(void)state;
	for (size_t n = 0; n < sizeof(table_14_6); n++) {
		for (int off = 0; off < 80; off++) {
			bool known = false;

			if (v8_positions_find(v8_positions_of(table_14_6, n, true), off, &pos))
				continue;
			/*
			 * The entry for bytecode offset -1 has the position of the function's
			 * start.
			 */
			known = v8_position_offset(pos) == 61;
			for (size_t i = 0; !known && listing_14_6[i].offset <= off; i++)
				known = v8_position_offset(pos) == listing_14_6[i].pos;
			assert_true(known);
		}
	}
	assert_int_equal(v8_positions_find(v8_positions_of(NULL, 0, true), 5, &pos), -ENOENT);
	assert_int_equal(
		v8_positions_find(v8_positions_of(table_14_6, sizeof(table_14_6), true), -2, &pos),
		-ERANGE);
}

static void no_position_is_found_if_a_number_in_the_table_has_no_last_byte(void **state)
{
	u8 endless[64];
	u64 pos;

	(void)state;
	for (size_t i = 0; i < sizeof(endless); i++)
		endless[i] = 0xff;
	assert_int_equal(
		v8_positions_find(v8_positions_of(endless, sizeof(endless), true), 1000, &pos),
		-ENOENT);
	assert_int_equal(
		v8_positions_find(v8_positions_of(endless, sizeof(endless), false), 1000, &pos),
		-ENOENT);
}

static void position_contains_a_source_offset_and_an_inlining_id(void **state)
{
	/* bit 0: external; then 30 bits: offset + 1; 16 bits: inlining ID + 1 */
	u64 pos = (u64)(123 + 1) << 1 | (u64)(4 + 1) << 31;

	(void)state;
	assert_int_equal(v8_position_offset(pos), 123);
	assert_int_equal(v8_position_inlining(pos), 4);
	assert_int_equal(v8_position_offset(pos | 1), -1);
	assert_int_equal(v8_position_offset(0), -1);
	assert_int_equal(v8_position_inlining(0), -1);
}

/* ---- baseline ---- */

/*
 * The first bytecodes of known() in V8 13.6, with their lengths as in the output of
 * --print-bytecode, and one with a prefix.
 */
static const u8 bytecodes[] = {
	0x19, 0x03, /* 0 LdaImmutableCurrentContextSlot */
	0xcd, /* 2 Star1 */
	0x69, 0xf8, 0x03, 0x00, /* 3 CallUndefinedReceiver1 */
	0x01, 0x0d, 0x00, 0xca, 0x9a, 0x3b, /* 7 LdaSmi.ExtraWide */
	0x75, 0xf9, 0x08, /* 13 TestLessThan */
	0xb3, /* 16 Return */
};

static struct v8_build sizes(void)
{
	struct v8_build b = { .n_bytecodes = 208 };

	b.bytecode_sizes[0][0x19] = 2;
	b.bytecode_sizes[0][0xcd] = 1;
	b.bytecode_sizes[0][0x69] = 4;
	b.bytecode_sizes[2][0x0d] = 5; /* an operand of four bytes */
	b.bytecode_sizes[0][0x75] = 3;
	b.bytecode_sizes[0][0xb3] = 1;
	return b;
}

static void bytecode_lengths_agree_with_v8s_bytecode_listing(void **state)
{
	static const int starts[] = { 0, 2, 3, 7, 13, 16, 17 };
	struct v8_build b = sizes();

	(void)state;
	for (size_t i = 0; i + 1 < N(starts); i++)
		assert_int_equal(
			v8_bytecode_len(&b, bytecodes, sizeof(bytecodes), (size_t)starts[i]),
			starts[i + 1] - starts[i]);
	assert_int_equal(v8_bytecode_len(&b, bytecodes, sizeof(bytecodes), 17), -EINVAL);
	assert_int_equal(v8_bytecode_len(&b, bytecodes, 8, 7), -EINVAL);
}

static void first_entry_of_a_baseline_offset_table_is_the_prologue_length(void **state)
{
	/*
	 * Lengths of machine code: the prologue has 300 bytes, the bytecodes 10, 3, 20, 8, 15 and
	 * 5.
	 */
	static const u8 table[] = { 0xac, 0x02, 10, 3, 20, 8, 15, 5 };
	static const struct {
		u64 delta;
		int offset;
	} cases[] = {
		{ 0, -1 },   { 299, -1 }, { 300, 0 },  { 309, 0 }, { 310, 2 },
		{ 312, 2 },  { 313, 3 },  { 332, 3 },  { 333, 7 }, { 341, 13 },
		{ 355, 13 }, { 356, 16 }, { 360, 16 },
	};
	struct v8_build b = sizes();

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		assert_int_equal(v8_baseline_find(&b, table, sizeof(table), bytecodes,
						  sizeof(bytecodes), cases[i].delta),
				 cases[i].offset);
	assert_int_equal(
		v8_baseline_find(&b, table, sizeof(table), bytecodes, sizeof(bytecodes), 361),
		-ENOENT);
}

static void lookup_in_a_truncated_baseline_table_returns_an_error(void **state)
{
	static const u8 table[] = { 0xac, 0x02, 10, 3, 20, 8, 15, 5 };
	struct v8_build b = sizes();

	(void)state;
	for (size_t n = 0; n < sizeof(table); n++)
		for (u64 delta = 0; delta < 400; delta++) {
			int whole = v8_baseline_find(&b, table, sizeof(table), bytecodes,
						     sizeof(bytecodes), delta);
			int cut =
				v8_baseline_find(&b, table, n, bytecodes, sizeof(bytecodes), delta);

			assert_true(cut == whole || cut == -ENOENT);
		}
	for (size_t n = 0; n < sizeof(bytecodes); n++)
		for (u64 delta = 0; delta < 400; delta++) {
			int whole = v8_baseline_find(&b, table, sizeof(table), bytecodes,
						     sizeof(bytecodes), delta);
			int cut = v8_baseline_find(&b, table, sizeof(table), bytecodes, n, delta);

			assert_true(cut == whole || cut == -ENOENT);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions_of_v8_13_agree_with_v8s_bytecode_listing),
		cmocka_unit_test(positions_of_v8_14_agree_with_v8s_bytecode_listing),
		cmocka_unit_test(
			positions_differ_from_v8s_listing_if_the_wrong_encoding_is_assumed),
		cmocka_unit_test(
			truncated_position_table_never_gives_the_position_of_a_later_bytecode),
		cmocka_unit_test(no_position_is_found_if_a_number_in_the_table_has_no_last_byte),
		cmocka_unit_test(position_contains_a_source_offset_and_an_inlining_id),
		cmocka_unit_test(bytecode_lengths_agree_with_v8s_bytecode_listing),
		cmocka_unit_test(first_entry_of_a_baseline_offset_table_is_the_prologue_length),
		cmocka_unit_test(lookup_in_a_truncated_baseline_table_returns_an_error),
	};

	return CHECK_RUN(tests);
}
