// SPDX-License-Identifier: BSD-2-Clause

/* Invalid jitdump records, one at a time. The tests build the bytes of each record. */

#include <string.h>

#include "../../inspect/jitdump/jdr.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

enum { LOAD, MOVE, DEBUG_INFO, UNWINDING_INFO = 4 };

static u8 bytes[512];
static u32 len;

static void put(u64 value, u32 n)
{
	memcpy(bytes + len, &value, n);
	len += n;
}

static void begin(u32 id)
{
	memset(bytes, 0, sizeof(bytes));
	len = 0;
	put(id, 4);
	put(0, 4);
	put(1000, 8);
}

/*
 * Finishes the record, and returns it as the reader returns it. The record must have the size of
 * the input.
 */
static struct jdr_record end(const struct jdr_header *h)
{
	struct jdr_record rec = { .fault = JDR_SOUND };
	u64 need;

	memcpy(bytes + 4, &len, 4);
	assert_int_equal(jdr_next(h, bytes, len, &rec, &need), JDR_RECORD);
	assert_int_equal(rec.size, len);
	return rec;
}

/*
 * Makes a LOAD record whose code length field is @said, with @slack zero bytes before the 4 bytes
 * of code.
 */
static struct jdr_record load(u64 addr, u64 said, u32 slack)
{
	static const struct jdr_header h = { .mach = 62 };

	begin(LOAD);
	put(812, 4);
	put(812, 4);
	put(addr, 8);
	put(addr, 8);
	put(said, 8);
	put(9, 8);
	put('f', 2);
	len += slack;
	put(0xc3909090, 4);
	return end(&h);
}

static void code_record_is_refused_if_its_code_exceeds_the_record_or_address_space(void **state)
{
	static const struct {
		u64 addr, said;
		u32 slack;
		enum jdr_fault fault;
	} rows[] = {
		{ 0x1000, 4, 0, JDR_SOUND },	{ 0x1000, 4, 8, JDR_SOUND },
		{ 0x1000, 5, 0, JDR_NO_CODE },	{ 0x1000, 62, 0, JDR_NO_CODE },
		{ 0x1000, ~0ull, 0, JDR_ADDR }, { ~0ull - 3, 4, 0, JDR_ADDR },
		{ ~0ull - 4, 4, 0, JDR_SOUND }, { 0x1000, 1ull << 63, 0, JDR_NO_CODE },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct jdr_record rec = load(rows[i].addr, rows[i].said, rows[i].slack);

		assert_int_equal(rec.fault, rows[i].fault);
		if (rec.fault)
			continue;
		assert_int_equal(rec.load.slack, rows[i].slack);
		assert_memory_equal(rec.load.code, "\x90\x90\x90\xc3", 4);
	}
}

static void code_move_is_refused_if_its_address_range_wraps_around(void **state)
{
	static const struct {
		u64 from, to, n;
		enum jdr_fault fault;
	} rows[] = {
		{ 0x1000, 0x2000, 16, JDR_SOUND },
		{ ~0ull - 8, 0x2000, 16, JDR_ADDR },
		{ 0x1000, ~0ull - 8, 16, JDR_ADDR },
	};
	static const struct jdr_header h = { .mach = 62 };

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		begin(MOVE);
		put(812, 4);
		put(812, 4);
		put(rows[i].to, 8);
		put(rows[i].from, 8);
		put(rows[i].to, 8);
		put(rows[i].n, 8);
		put(9, 8);
		assert_int_equal(end(&h).fault, rows[i].fault);
	}
}

static void unwinding_info_can_begin_with_eh_frame_or_with_eh_frame_hdr(void **state)
{
	static const struct {
		const char *first;
		u32 n_first, hdr_len;
		bool hdr_is_first;
	} rows[] = {
		{ "\x01\x1b\x03\x3b", 12, 12, true },
		{ "\x01\xff\x03\x3b", 12, 12, true },
		{ "\x14\x00\x00\x00", 24, 12, false },
		{ "\x01\x1c\x03\x3b", 24, 12, false },
	};
	static const struct jdr_header h = { .mach = 62 };

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct jdr_record rec;

		begin(UNWINDING_INFO);
		put(36, 8);
		put(rows[i].hdr_len, 8);
		put(0, 8);
		memcpy(bytes + len, rows[i].first, 4);
		len += 36;
		rec = end(&h);
		assert_int_equal(rec.fault, JDR_SOUND);
		assert_int_equal(rec.unwind.hdr_is_first, rows[i].hdr_is_first);
		assert_int_equal(rec.unwind.eh_frame_len, 24);
		assert_ptr_equal(rec.unwind.hdr, rec.bytes + 40 + (rows[i].hdr_is_first ? 0 : 24));
		assert_ptr_equal(rec.unwind.eh_frame,
				 rec.bytes + 40 + (rows[i].hdr_is_first ? 12 : 0));
	}
}

static void record_header_of_zeros_is_treated_as_not_written_yet(void **state)
{
	static const struct jdr_header h = { .mach = 62 };
	struct jdr_record rec;
	u64 need;

	(void)state;
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(jdr_next(&h, bytes, 64, &rec, &need), JDR_END_FOR_NOW);
	for (u32 i = 0; i < 16; i += 4) {
		memset(bytes, 0, sizeof(bytes));
		bytes[i] = 1;
		assert_int_equal(jdr_next(&h, bytes, 64, &rec, &need), JDR_CORRUPT);
	}
	bytes[4] = 15;
	assert_int_equal(jdr_next(&h, bytes, 64, &rec, &need), JDR_CORRUPT);
}

struct line {
	u64 addr;
	const char *file; /* NULL: the same file as the previous line */
};

/* Returns the reader's verdict on @lines for 8 bytes of code at 0x1000. */
static enum jdr_lines judge(const struct line *lines, u32 n, u32 said, u32 rest)
{
	static const struct jdr_header h = { .mach = 62 };
	struct jdr_record rec;

	begin(DEBUG_INFO);
	put(0x1000, 8);
	put(said, 8);
	for (u32 i = 0; i < n; i++) {
		const char *file = lines[i].file ? lines[i].file : "\xff";

		put(lines[i].addr, 8);
		put(7, 4);
		put(0, 4);
		memcpy(bytes + len, file, strlen(file) + 1);
		len += (u32)strlen(file) + 1;
	}
	len += rest;
	rec = end(&h);
	return jdr_lines(&h, &rec, 0x1000, 8);
}

static void line_record_is_used_only_if_all_of_its_lines_are_valid(void **state)
{
	static const struct {
		struct line lines[2];
		u32 said, rest;
		enum jdr_lines result;
	} rows[] = {
		{ { { 0x1000, "a.c" }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_GOOD },
		{ { { 0x1000, "a.c" }, { 0x1008, NULL } }, 2, 0, JDR_LINES_GOOD },
		{ { { 0x1000, "a.c" }, { 0x1000, "b.c" } }, 2, 7, JDR_LINES_GOOD },
		{ { { 0x1000, "h\xc3\xa4.c" }, { 0x1008, "b" } }, 2, 0, JDR_LINES_GOOD },
		{ { { 0x1000, NULL }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_OVERRUN },
		{ { { 0x1000, "a.c" }, { 0x1008, "b.c" } }, 3, 0, JDR_LINES_OVERRUN },
		{ { { 0x1000, "a.c" }, { 0x1008, "b.c" } }, 2, 8, JDR_LINES_REST },
		{ { { 0x1000, "a.c" }, { 0x1008, "b.c" } }, 1, 0, JDR_LINES_REST },
		{ { { 0x1000, "a.c" }, { 0x1009, "b.c" } }, 2, 0, JDR_LINES_OUTSIDE },
		{ { { 0x0fff, "a.c" }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_OUTSIDE },
		{ { { 0x1004, "a.c" }, { 0x1003, "b.c" } }, 2, 0, JDR_LINES_BACKWARD },
		{ { { 0x1000, "a\x10.c" }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_FILE },
		{ { { 0x1000, "a\x7f.c" }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_FILE },
		{ { { 0x1000, "a\xf0.c" }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_FILE },
		{ { { 0x1000, "" }, { 0x1008, "b.c" } }, 2, 0, JDR_LINES_FILE },
		{ { { 0x1000, "a.c" }, { 0x1008, "b.c" } }, 0, 0, JDR_LINES_NONE },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		assert_int_equal(judge(rows[i].lines, 2, rows[i].said, rows[i].rest),
				 rows[i].result);
}

static void line_entry_without_a_file_name_has_the_previous_file_name(void **state)
{
	static const struct line lines[] = { { 0x1000, "a.c" }, { 0x1008, NULL } };
	static const struct jdr_header h = { .mach = 62 };
	struct jdr_cursor c = { 0 };
	struct jdr_record rec;
	struct jdr_entry e;

	(void)state;
	judge(lines, 2, 2, 0);
	rec = end(&h);
	assert_int_equal(jdr_entry(&h, &rec, &c, &e), 1);
	assert_false(e.is_repeat);
	assert_int_equal(jdr_entry(&h, &rec, &c, &e), 1);
	assert_true(e.is_repeat);
	assert_string_equal(e.file, "a.c");
	assert_int_equal(e.addr, 0x1008);
	assert_int_equal(jdr_entry(&h, &rec, &c, &e), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			code_record_is_refused_if_its_code_exceeds_the_record_or_address_space),
		cmocka_unit_test(code_move_is_refused_if_its_address_range_wraps_around),
		cmocka_unit_test(unwinding_info_can_begin_with_eh_frame_or_with_eh_frame_hdr),
		cmocka_unit_test(record_header_of_zeros_is_treated_as_not_written_yet),
		cmocka_unit_test(line_record_is_used_only_if_all_of_its_lines_are_valid),
		cmocka_unit_test(line_entry_without_a_file_name_has_the_previous_file_name),
	};

	return CHECK_RUN(tests);
}
