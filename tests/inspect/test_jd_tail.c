// SPDX-License-Identifier: BSD-2-Clause

/* Following a jitdump while a hostile program appends to the file, truncates it, or replaces it. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/jitdump/jd_tail.h"
#include "../check.h"

#define LE32(v) (u8)(v), (u8)((v) >> 8), (u8)((v) >> 16), (u8)((v) >> 24)
#define LE64(v) LE32((u64)(v)&0xffffffff), LE32((u64)(v) >> 32)
#define MAX (1u << 20)

enum { HEAD_LEN = 40, LOAD_LEN = 62, DEBUG_LEN = 68 };

static const u8 head[HEAD_LEN] = { 'D',	     'T',      'i',	'J',	  LE32(1),
				   LE32(40), LE32(62), LE32(0), LE32(812) };

/* Makes a LOAD record of a function "f" of 4 bytes at @addr. */
static void put_load(u8 *to, u64 addr)
{
	const u8 load[LOAD_LEN] = { LE32(0),	LE32(62),   LE64(1000), LE32(812), LE32(812),
				    LE64(addr), LE64(addr), LE64(4),	LE64(9),   'f',
				    0,		0x90,	    0x90,	0x90,	   0xc3 };

	memcpy(to, load, sizeof(load));
}

/* Makes a DEBUG_INFO record for code @of with two lines, at @addr and @addr + 4. */
static void put_debug(u8 *to, u64 of, u64 addr)
{
	const u8 debug[DEBUG_LEN] = { LE32(2),	      LE32(DEBUG_LEN), LE64(999), LE64(of), LE64(2),
				      LE64(addr),     LE32(7),	       LE32(0),	  'a',	    0,
				      LE64(addr + 4), LE32(8),	       LE32(0),	  'b',	    0 };

	memcpy(to, debug, sizeof(debug));
}

static char path[] = "/tmp/test-jd-tail-XXXXXX";
static int fd;
static struct jd_tail tail;

static struct {
	u32 code, anew, passed, stuck, lines;
	u64 addr, off;
} seen;

static void note(void *data, const struct jd_tail_event *e)
{
	(void)data;
	seen.code += e->what == JD_TAIL_CODE;
	seen.anew += e->what == JD_TAIL_NEW;
	seen.passed += e->what == JD_TAIL_PASSED;
	seen.stuck += e->what == JD_TAIL_STUCK;
	if (e->what != JD_TAIL_CODE)
		return;
	seen.addr = e->code->load.addr;
	seen.off = e->off;
	seen.lines += e->debug != NULL;
}

static int look(void)
{
	memset(&seen, 0, sizeof(seen));
	return jd_tail_poll(&tail, MAX, note, NULL);
}

static int begin(void **state)
{
	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	return fd < 0 || jd_tail_open(&tail, path);
}

static int finish(void **state)
{
	(void)state;
	jd_tail_deinit(&tail);
	close(fd);
	return unlink(path);
}

static void add(const void *bytes, size_t len)
{
	assert_int_equal(write(fd, bytes, len), len);
}

static void add_load(u64 addr)
{
	u8 load[LOAD_LEN];

	put_load(load, addr);
	add(load, sizeof(load));
}

static void code_is_reported_as_soon_as_its_record_is_complete(void **state)
{
	u8 all[HEAD_LEN + LOAD_LEN];

	(void)state;
	memcpy(all, head, HEAD_LEN);
	put_load(all + HEAD_LEN, 0x1000);
	for (size_t i = 0; i < sizeof(all); i++) {
		assert_int_equal(look(), 0);
		assert_int_equal(seen.code, 0);
		add(all + i, 1);
	}
	assert_int_equal(look(), 0);
	assert_true(seen.code == 1 && seen.addr == 0x1000 && seen.off == HEAD_LEN);
	assert_int_equal(look(), 0);
	assert_int_equal(seen.code, 0);
}

static void line_record_applies_only_to_the_next_code_record(void **state)
{
	u8 debug[DEBUG_LEN];

	(void)state;
	add(head, HEAD_LEN);
	put_debug(debug, 0x1000, 0x1000);
	add(debug, sizeof(debug));
	add_load(0x1000);
	assert_int_equal(look(), 0);
	assert_true(seen.code == 1 && seen.lines == 1);
	add_load(0x2000); /* has no lines: the line record was used for the first code */
	put_debug(debug, 0x5000, 0x5000);
	add(debug, sizeof(debug));
	add_load(0x3000); /* has no lines: the line record is for other code */
	put_debug(debug, 0x4000, 0x5000);
	add(debug, sizeof(debug));
	add_load(0x5000);
	assert_int_equal(look(), 0);
	assert_true(seen.code == 3 && seen.lines == 0);
}

static void jitdump_is_read_from_the_start_after_a_truncation(void **state)
{
	(void)state;
	add(head, HEAD_LEN);
	add_load(0x1000);
	add_load(0x2000);
	assert_int_equal(look(), 0);
	assert_int_equal(seen.code, 2);
	assert_int_equal(ftruncate(fd, HEAD_LEN + LOAD_LEN), 0);
	assert_int_equal(look(), 0);
	assert_true(seen.anew == 1 && seen.code == 1 && seen.addr == 0x1000);
}

static void jitdump_is_read_from_the_start_after_an_overwrite(void **state)
{
	(void)state;
	add(head, HEAD_LEN);
	add_load(0x1000);
	assert_int_equal(look(), 0);
	assert_int_equal(pwrite(fd, "\x63", 1, 24), 1); /* overwrites the time in the header */
	add_load(0x2000);
	assert_int_equal(look(), 0);
	assert_true(seen.anew == 1 && seen.code == 2);
}

static void new_file_at_the_same_path_is_followed(void **state)
{
	(void)state;
	add(head, HEAD_LEN);
	add_load(0x1000);
	assert_int_equal(look(), 0);
	add_load(0x2000);
	assert_int_equal(unlink(path), 0);
	close(fd);
	assert_int_equal(look(), 0);
	assert_true(seen.code == 1 && !seen.anew); /* the deleted file is first read to its end */
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	add(head, HEAD_LEN);
	add_load(0x3000);
	assert_int_equal(look(), 0);
	assert_true(seen.anew == 1 && seen.code == 1 && seen.addr == 0x3000);
}

static void only_regular_files_are_followed(void **state)
{
	struct jd_tail other;

	(void)state;
	add(head, HEAD_LEN);
	assert_int_equal(look(), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(look(), 0);
	assert_int_equal(seen.anew, 0);
	assert_int_equal(jd_tail_open(&other, path), -EINVAL);
	assert_int_equal(jd_tail_open(&other, "/dev/null"), -EINVAL);
}

static void reader_stops_at_an_invalid_record_and_reports_it_only_once(void **state)
{
	static const u8 corrupt[16] = { LE32(0), LE32(3), LE64(1000) };

	(void)state;
	add(head, HEAD_LEN);
	add_load(0x1000);
	add(corrupt, sizeof(corrupt));
	add_load(0x2000);
	assert_int_equal(look(), 0);
	assert_true(seen.code == 1 && seen.stuck == 1);
	assert_int_equal(look(), 0);
	assert_true(seen.code == 0 && seen.stuck == 0);
}

static void oversized_record_is_skipped(void **state)
{
	const u32 len = JD_TAIL_MAX_RECORD + 8;
	const u8 large[16] = { LE32(0), LE32(len), LE64(1000) };

	(void)state;
	add(head, HEAD_LEN);
	add(large, sizeof(large));
	assert_int_equal(look(), 0);
	assert_true(!seen.passed && !seen.code); /* reported only when the record is complete */
	assert_int_equal(ftruncate(fd, HEAD_LEN + len), 0);
	assert_int_equal(lseek(fd, 0, SEEK_END), HEAD_LEN + len);
	add_load(0x2000);
	jd_tail_poll(&tail, 2ull * len, note, NULL);
	assert_true(seen.passed == 1 && seen.code == 1 && seen.addr == 0x2000);
	assert_true(tail.room <= JD_TAIL_KEEP);
}

static void poll_stops_after_the_requested_number_of_bytes(void **state)
{
	u32 n = 0, looks = 0;

	(void)state;
	add(head, HEAD_LEN);
	for (u32 i = 0; i < 20000; i++)
		add_load(0x1000 + 16 * i);
	memset(&seen, 0, sizeof(seen));
	for (; jd_tail_poll(&tail, 1000, note, NULL) == 1; looks++)
		assert_true(seen.code - n < 20000 && (n = seen.code));
	assert_int_equal(seen.code, 20000);
	assert_true(looks > 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(code_is_reported_as_soon_as_its_record_is_complete),
		TEST(line_record_applies_only_to_the_next_code_record),
		TEST(jitdump_is_read_from_the_start_after_a_truncation),
		TEST(jitdump_is_read_from_the_start_after_an_overwrite),
		TEST(new_file_at_the_same_path_is_followed),
		TEST(only_regular_files_are_followed),
		TEST(reader_stops_at_an_invalid_record_and_reports_it_only_once),
		TEST(oversized_record_is_skipped),
		TEST(poll_stops_after_the_requested_number_of_bytes),
	};

	return CHECK_RUN(tests);
}
