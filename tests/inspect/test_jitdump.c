// SPDX-License-Identifier: BSD-2-Clause

/*
 * The jitdump reader on a file that is truncated and corrupted at every byte, and lookups of code
 * by address and time. The bytes are hand-written from the specification.
 */

#include "../check.h"

#include "../../inspect/jitdump/jd_file.h"
#include "../../inspect/jitdump/jd_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LE32(v) (u8)(v), (u8)((v) >> 8), (u8)((v) >> 16), (u8)((v) >> 24)
#define LE64(v) LE32((u64)(v)&0xffffffff), LE32((u64)(v) >> 32)

static const u8 bytes[] = {
	'D',
	'T',
	'i',
	'J',
	LE32(1),
	LE32(40),
	LE32(62),
	LE32(0),
	LE32(812),
	LE64(900),
	LE64(0),
	/* 40: DEBUG_INFO of 32 + 20 + 17 */
	LE32(2),
	LE32(69),
	LE64(1000),
	LE64(0x1000),
	LE64(2),
	LE64(0x1000),
	LE32(3),
	LE32(1),
	'a',
	'.',
	'c',
	0,
	LE64(0x1004),
	LE32(4),
	LE32(1),
	0,
	/* 109: UNWINDING_INFO, only the header */
	LE32(4),
	LE32(60),
	LE64(1000),
	LE64(20),
	LE64(20),
	LE64(0),
	1,
	0x1b,
	3,
	0x3b,
	LE64(0),
	LE64(0),
	/* 169: LOAD */
	LE32(0),
	LE32(62),
	LE64(1000),
	LE32(812),
	LE32(813),
	LE64(0x1000),
	LE64(0x1000),
	LE64(4),
	LE64(9),
	'f',
	0,
	0x90,
	0x90,
	0x90,
	0xc3,
	/* 231: MOVE, to 295 */
	LE32(1),
	LE32(64),
	LE64(1100),
	LE32(812),
	LE32(813),
	LE64(0x2000),
	LE64(0x1000),
	LE64(0x2000),
	LE64(4),
	LE64(9),
};

static const size_t ends[] = { 40, 109, 169, 231, 295 };

static void truncated_jitdump_gives_all_records_that_are_complete(void **state)
{
	(void)state;
	assert_int_equal(sizeof(bytes), 295);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		/*
		 * The buffer has the length of the truncated file, so that a sanitizer detects a
		 * read past the end.
		 */
		u8 *cut = malloc(len ? len : 1);
		struct jd_file f = { .bytes = cut, .len = len };
		size_t n = 0, whole = 0;
		struct jdr_record rec;
		u64 at = 0;

		memcpy(cut, bytes, len);
		if (len < JD_H_LEN) {
			assert_int_equal(jdr_header(cut, len, &f.h), -ENODATA);
			free(cut);
			continue;
		}
		assert_int_equal(jdr_header(cut, len, &f.h), 0);
		while (jd_file_next(&f, &at, &rec) == JDR_RECORD)
			n++;
		while (whole + 1 < sizeof(ends) / sizeof(*ends) && ends[whole + 1] <= len)
			whole++;
		assert_int_equal(n, whole);
		assert_int_equal(at, ends[whole]);
		free(cut);
	}
}

/* All pointers of a record must point into the record. */
static void must_be_inside(const struct jdr_header *h, const struct jdr_record *rec)
{
	const u8 *end = rec->bytes + rec->size;
	struct jdr_cursor c = { 0 };
	struct jdr_entry e;

	if (rec->fault)
		return;
	if (rec->id == JD_LOAD) {
		assert_true((const u8 *)rec->load.name + rec->load.name_len < end);
		assert_true(rec->load.code + rec->load.code_len == end);
	}
	if (rec->id == JD_UNWINDING_INFO) {
		assert_true(rec->unwind.eh_frame + rec->unwind.eh_frame_len <= end);
		assert_true(rec->unwind.hdr + rec->unwind.hdr_len <= end);
	}
	if (rec->id == JD_DEBUG_INFO) {
		while (jdr_entry(h, rec, &c, &e) > 0)
			assert_true((const u8 *)e.file + strlen(e.file) < end);
		jdr_lines(h, rec, rec->debug.addr, 8);
	}
}

static void corrupt_jitdump_is_read_within_bounds(void **state)
{
	static const u8 flips[] = { 0x01, 0x80, 0xff };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes) * sizeof(flips); i++) {
		u8 *spoilt = malloc(sizeof(bytes));
		struct jd_file f = { .bytes = spoilt, .len = sizeof(bytes) };
		struct jdr_record rec;
		u64 at = 0;

		memcpy(spoilt, bytes, sizeof(bytes));
		spoilt[i / sizeof(flips)] ^= flips[i % sizeof(flips)];
		if (jdr_header(spoilt, f.len, &f.h) == 0)
			while (jd_file_next(&f, &at, &rec) == JDR_RECORD)
				must_be_inside(&f.h, &rec);
		free(spoilt);
	}
}

static void jitdump_fields_are_read_at_the_offsets_that_the_format_specifies(void **state)
{
	struct jd_file f = { .bytes = (u8 *)bytes, .len = sizeof(bytes) };
	struct jdr_record rec;
	struct jdr_cursor c = { 0 };
	struct jdr_entry e;
	u64 at = 0;

	(void)state;
	assert_int_equal(jdr_header(bytes, sizeof(bytes), &f.h), 0);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.debug.n, 2);
	assert_int_equal(jdr_entry(&f.h, &rec, &c, &e), 1);
	assert_string_equal(e.file, "a.c");
	assert_int_equal(e.line, 3);
	assert_int_equal(jdr_lines(&f.h, &rec, 0x1000, 4), JDR_LINES_FILE);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.unwind.hdr_len, 20);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_string_equal(rec.load.name, "f");
	assert_int_equal(rec.load.tid, 813);
	assert_int_equal(rec.load.index, 9);
	assert_memory_equal(rec.load.code, "\x90\x90\x90\xc3", 4);
	assert_int_equal(jd_file_next(&f, &at, &rec), JDR_RECORD);
	assert_int_equal(rec.move.old_addr, 0x1000);
	assert_int_equal(rec.move.new_addr, 0x2000);
}

/* Returns the name of the code that was at @addr at time @time; "" if there was none. */
static const char *at(const struct jd_index *x, u64 addr, u64 time)
{
	const struct jd_code *c = jd_index_find(x, addr, time);

	return c ? c->name : "";
}

static void add(struct jd_index *x, const char *name, u64 addr, u64 len, u64 time)
{
	struct jd_code c = { .name = name, .addr = addr, .len = len, .from = time };

	assert_int_equal(jd_index_add(x, &c), 0);
}

static void code_is_found_by_address_and_time(void **state)
{
	struct jd_index x = { 0 };

	(void)state;
	add(&x, "a", 0x1000, 0x100, 10);
	add(&x, "b", 0x2000, 0x100, 10);
	add(&x, "over a", 0x1080, 0x100, 20);
	assert_string_equal(at(&x, 0x1000, 9), "");
	assert_string_equal(at(&x, 0x10ff, 10), "a");
	assert_string_equal(at(&x, 0x1100, 10), "");
	assert_string_equal(at(&x, 0x1000, 19), "a");
	assert_string_equal(at(&x, 0x1000, 20), ""); /* "a" is incomplete */
	assert_string_equal(at(&x, 0x1080, 20), "over a");
	assert_string_equal(at(&x, 0x2000, 99), "b");
	assert_int_equal(jd_index_move(&x, 0x2000, 0x1000, 30), 0);
	assert_string_equal(at(&x, 0x2000, 29), "b");
	assert_string_equal(at(&x, 0x2000, 30), "");
	assert_string_equal(at(&x, 0x10ff, 30), "b");
	assert_string_equal(at(&x, 0x1100, 30), ""); /* "b" was added over it */
	assert_int_equal(jd_index_move(&x, 0x1001, 0x5000, 40), -ENOENT);
	assert_string_equal(at(&x, 0x1000, 15), "a"); /* kept until jd_index_drop() */
	jd_index_drop(&x, 25);
	assert_string_equal(at(&x, 0x1000, 15), "");
	assert_string_equal(at(&x, 0x10ff, 30), "b");
	jd_index_deinit(&x);
}

/* Compares lookups in the index with a table that has one entry for each byte of code. */
static void random_lookups_agree_with_a_table_that_has_an_entry_per_byte(void **state)
{
	enum { N = 64, TIMES = 200 };
	static u16 table[TIMES][N];
	static u64 starts[TIMES], lens[TIMES];
	struct jd_index x = { 0 };
	u32 random = 1;

	(void)state;
	for (u32 t = 1; t < TIMES; t++) {
		u32 lo, len;
		char name[8];

		random = random * 1664525 + 1013904223;
		lo = (random >> 8) % N;
		len = 1 + (random >> 20) % 12;
		len = lo + len > N ? N - lo : len;
		memcpy(table[t], table[t - 1], sizeof(table[t]));
		for (u32 i = lo; i < lo + len; i++) {
			u32 old = table[t][i];

			for (u64 k = 0; old && k < lens[old]; k++)
				table[t][starts[old] + k] = 0;
		}
		for (u32 i = lo; i < lo + len; i++)
			table[t][i] = (u16)t;
		starts[t] = lo;
		lens[t] = len;
		snprintf(name, sizeof(name), "%u", t);
		add(&x, name, 0x1000 + lo, len, t);
	}
	for (u32 t = 1; t < TIMES; t++)
		for (u32 i = 0; i < N; i++)
			assert_int_equal(atoi(at(&x, 0x1000 + i, t)), table[t][i]);
	jd_index_deinit(&x);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(truncated_jitdump_gives_all_records_that_are_complete),
	cmocka_unit_test(corrupt_jitdump_is_read_within_bounds),
	cmocka_unit_test(jitdump_fields_are_read_at_the_offsets_that_the_format_specifies),
	cmocka_unit_test(code_is_found_by_address_and_time),
	cmocka_unit_test(random_lookups_agree_with_a_table_that_has_an_entry_per_byte),
};

int main(void)
{
	return CHECK_RUN(tests);
}
