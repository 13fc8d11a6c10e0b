// SPDX-License-Identifier: BSD-2-Clause

/*
 * Parsing of lines of perf maps, and reading of perf maps that are truncated, rewritten and
 * extended meanwhile.
 */

#include "../check.h"

#include "../../inspect/jitdump/perf_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void perf_map_line_is_refused_if_it_lacks_an_address_a_size_or_a_name(void **state)
{
	static const struct {
		const char *line;
		u64 addr, len; /* 0: not a valid line */
		const char *name;
	} rows[] = {
		{ "7f0b3e0c5000 b py::fib:/path", 0x7f0b3e0c5000, 0xb, "py::fib:/path" },
		{ "0x7f00 0x10 wasm[0]::f", 0x7f00, 0x10, "wasm[0]::f" },
		{ "ABCDEF 1f JS:*f /a b.js:1:2", 0xabcdef, 0x1f, "JS:*f /a b.js:1:2" },
		{ "0 1 f", 0, 1, "f" },
		{ "ffffffffffffff00 ff f", 0xffffffffffffff00, 0xff, "f" },
		{ "ffffffffffffff00 100 f", 0, 0, "" }, /* ends at 2^64: a wraparound */
		{ "1000 ffffffffffffffff f", 0, 0, "" },
		{ "11000000000000000 1 f", 0, 0, "" },
		{ "1000 0 f", 0, 0, "" },
		{ "1000 10 ", 0, 0, "" },
		{ "1000 10", 0, 0, "" },
		{ "1000  10 f", 0, 0, "" },
		{ " 1000 10 f", 0, 0, "" },
		{ "-1000 10 f", 0, 0, "" },
		{ "0x 10 f", 0, 0, "" },
		{ "fun 10 f", 0, 0, "" },
		{ "", 0, 0, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_map_entry e = { .addr = 99 };
		int err = perf_map_line(rows[i].line, strlen(rows[i].line), &e);

		assert_int_equal(err, rows[i].len ? 0 : -EBADMSG);
		assert_int_equal(e.addr, rows[i].len ? rows[i].addr : 99);
		if (err)
			continue;
		assert_int_equal(e.len, rows[i].len);
		assert_int_equal(e.name_len, strlen(rows[i].name));
		assert_memory_equal(e.name, rows[i].name, e.name_len);
	}
}

static void truncated_perf_map_line_is_read_within_bounds(void **state)
{
	const char *line = "0x7f0b3e0c5000 0x1b a name";

	(void)state;
	for (size_t len = 0; len <= strlen(line); len++) {
		char *cut = malloc(len + !len);
		struct perf_map_entry e;

		memcpy(cut, line, len);
		assert_int_equal(perf_map_line(cut, len, &e), len > 20 ? 0 : -EBADMSG);
		free(cut);
	}
}

/*
 * Returns the names of the entries that are reported, each followed by a comma; "!" for a map that
 * was rewritten.
 */
static char reported[1 << 16];

static void report(void *data, const struct perf_map_entry *e)
{
	size_t n = strlen(reported);

	(void)data;
	snprintf(reported + n, sizeof(reported) - n, "%.*s,", e ? (int)e->name_len : 1,
		 e ? e->name : "!");
}

static const char *polled(struct perf_map_tail *t)
{
	reported[0] = '\0';
	while (perf_map_poll(t, 1, report, NULL) == 1)
		;
	return reported;
}

static void put(int fd, off_t at, const char *text)
{
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
}

static void line_added_to_a_perf_map_is_reported_as_soon_as_it_is_complete(void **state)
{
	static const char text[] = "10 1 a\n20 1 b\nno line\n30 1 c\n";
	struct perf_map_tail t;
	int fd = memfd_create("map", MFD_CLOEXEC);

	(void)state;
	perf_map_open_fd(&t, fd);
	assert_string_equal(polled(&t), "");
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		char byte[] = { text[i], 0 };
		const char *want = i == 6 ? "a," : i == 13 ? "b," : i == 28 ? "c," : "";

		put(fd, (off_t)i, byte);
		assert_string_equal(polled(&t), want);
	}
	perf_map_deinit(&t);
}

static void rewritten_perf_map_is_reported_from_the_start(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} rows[] = {
		{ "10 1 x\n20 1 y\n", "!,x,y," }, /* has the same length as before */
		{ "10 1 x\n", "!,x," },
		{ "", "!," },
		{ "10 1 xx\n20 1 yy\n30 1 zz\n", "!,xx,yy,zz," },
		{ "10 1 a\n20 1 b\n30 1 c\n", "c," }, /* appended lines only */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct perf_map_tail t;
		int fd = memfd_create("map", MFD_CLOEXEC);

		perf_map_open_fd(&t, fd);
		put(fd, 0, "10 1 a\n20 1 b\n");
		assert_string_equal(polled(&t), "a,b,");
		assert_int_equal(ftruncate(fd, 0), 0);
		put(fd, 0, rows[i].text);
		assert_string_equal(polled(&t), rows[i].want);
		perf_map_deinit(&t);
	}
}

static void long_name_in_a_perf_map_line_is_truncated(void **state)
{
	struct perf_map_tail t;
	char *text = malloc(300001), want[PERF_MAP_MAX_NAME + 8];
	int fd = memfd_create("map", MFD_CLOEXEC);

	(void)state;
	for (u32 i = 0; i < 300000; i += 8)
		memcpy(text + i, "30 1 nn ", 8); /* the middle of this line is itself like a line */
	text[299999] = '\n';
	text[300000] = '\0';
	put(fd, 0, text);
	put(fd, 300000, "20 1 b\n");
	perf_map_open_fd(&t, fd);
	memcpy(want, text + 5, PERF_MAP_MAX_NAME);
	strcpy(want + PERF_MAP_MAX_NAME, ",b,");
	assert_string_equal(polled(&t), want);
	perf_map_deinit(&t);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(perf_map_line_is_refused_if_it_lacks_an_address_a_size_or_a_name),
	cmocka_unit_test(truncated_perf_map_line_is_read_within_bounds),
	cmocka_unit_test(line_added_to_a_perf_map_is_reported_as_soon_as_it_is_complete),
	cmocka_unit_test(rewritten_perf_map_is_reported_from_the_start),
	cmocka_unit_test(long_name_in_a_perf_map_line_is_truncated),
};

int main(void)
{
	return CHECK_RUN(tests);
}
