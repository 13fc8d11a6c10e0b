// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests that frames of generated code get their sources when the profile is written, that each map
 * is held until then, and that translated code without a map has no lines.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../loader/sourcemap/deferred_maps.h"
#include "../../loader/sourcemap/generated_text.h"
#include "../../loader/sourcemap/held_maps.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* Maps line 1 from column 5 on to line 3 of a.ts, with the name "render". */
#define MAP "{\"version\":3,\"sources\":[\"a.ts\"],\"names\":[\"render\"],\"mappings\":\"IAEAA\"}"
#define LARGE (HELD_MAPS_COPIED_LEN + 1)

static struct deferred_maps *maps;
static const char *url; /* NULL: unreadable now */
static const char *map; /* content of the map's file; NULL: there is no file */
static size_t map_len; /* length of the file; the rest of the file is spaces */
static const char *before; /* text before the function; NULL: unreadable now */
static bool is_own;
static u32 n_opened;

static int give_url(void *data, char **out)
{
	(void)data;
	*out = url ? strdup(url) : NULL;
	return url ? 0 : -EAGAIN;
}

static int open_map(void *data, const char *path)
{
	int fd = memfd_create("map", MFD_CLOEXEC);
	char space = ' ';

	(void)data;
	(void)path;
	n_opened++;
	assert_true(fd >= 0);
	if (!map)
		return close(fd), -ENOENT;
	assert_int_equal(write(fd, map, strlen(map)), strlen(map));
	for (size_t i = strlen(map); i < map_len; i += sizeof(space))
		assert_int_equal(pwrite(fd, &space, 1, (off_t)i), 1);
	return fd;
}

static bool give_own(void *data)
{
	(void)data;
	return is_own;
}

static int give_text(void *data, char *text, size_t len)
{
	size_t n = before ? strlen(before) : 0;

	(void)data;
	assert_in_range(n, 0, len);
	memcpy(text, before ? before : "", n);
	return before ? (int)n : -EFAULT;
}

static int begin(void **state)
{
	(void)state;
	url = "app.js.map";
	map = MAP;
	map_len = 0;
	before = "function r";
	is_own = true;
	n_opened = 0;
	return deferred_maps_new(&maps);
}

static int finish(void **state)
{
	(void)state;
	deferred_maps_free(&maps);
	return 0;
}

/* Adds a frame whose function r(..) starts at column 6 and that executes @column. */
static struct prof_frame add(const char *file, u32 column)
{
	struct source_maps_script script = { .owner = 1,
					     .file = file,
					     .url_hash = url || strstr(file, ".js") ? 7 : 0,
					     .url = give_url,
					     .open = open_map,
					     .is_own = give_own };
	struct prof_frame f = { .kind = PROF_JS,
				.name = "r",
				.file = file,
				.line = 1,
				.column = column,
				.start_line = 1,
				.start_column = 6 };

	deferred_maps_add(maps, &script, &f, give_text, NULL);
	return f;
}

/* The frame of the .partial file as it is in the written profile. */
static struct prof_frame written(struct prof_frame f)
{
	_cleanup_(prof_reader_free) struct prof_reader *r = NULL;
	static struct prof_frame frame;
	static char texts[3][64];
	char line[512];
	int fd = memfd_create("profile", MFD_CLOEXEC);
	struct prof_record record;

	assert_true(fd >= 0);
	snprintf(line, sizeof(line),
		 "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"
		 "{\"type\":\"frame\",\"id\":1,\"kind\":\"js\",\"name\":\"r\",\"file\":\"%s\","
		 "\"line\":%u,\"deferred\":%u}\n",
		 f.file, f.line, f.deferred);
	assert_int_equal(write(fd, line, strlen(line)), strlen(line));
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(prof_reader_new(fd, "made", &r), 0);
	deferred_maps_attach(maps, r);
	assert_int_equal(prof_reader_next(r, &record), 1);
	assert_int_equal(prof_reader_next(r, &record), 1);
	frame = record.frame.frame;
	snprintf(texts[0], sizeof(texts[0]), "%s", frame.file);
	snprintf(texts[1], sizeof(texts[1]), "%s", frame.name);
	snprintf(texts[2], sizeof(texts[2]), "%s", frame.reason ? frame.reason : "");
	frame.file = texts[0];
	frame.name = texts[1];
	frame.reason = frame.reason ? texts[2] : NULL;
	return frame;
}

static void a_frame_gets_its_source_when_the_profile_is_written(void **state)
{
	struct prof_frame f = add("/srv/app.js", 9), g = add("/srv/app.js", 10);

	(void)state;
	assert_true(deferred_maps_any(maps));
	assert_int_equal(f.line, 1); /* the position in the file app.js, which is right, too */
	assert_null(f.generated_file);
	assert_int_equal(add("/srv/app.js", 9).deferred, f.deferred);
	assert_int_not_equal(g.deferred, f.deferred);
	f = written(f);
	assert_string_equal(f.file, "/srv/a.ts");
	assert_string_equal(f.name, "render");
	assert_int_equal(f.line, 3);
	assert_int_equal(f.start_line, 3);
	assert_int_equal(f.generated_column, 9);
	assert_int_equal(f.deferred, 0);
	assert_string_equal(written(g).file, "/srv/a.ts");
	assert_int_equal(n_opened, 1);
}

/* SIGUSR1 writes a profile while the recording continues. */
static void frames_that_are_added_after_a_copy_was_written_get_their_sources(void **state)
{
	(void)state;
	assert_string_equal(written(add("/srv/app.js", 9)).file, "/srv/a.ts");
	assert_string_equal(written(add("/srv/app.js", 10)).file, "/srv/a.ts");
	assert_int_equal(n_opened, 1);
}

static void text_that_was_unreadable_is_read_again_later(void **state)
{
	struct prof_frame f;

	(void)state;
	url = before = NULL;
	f = add("/srv/app.js", 9);
	assert_int_equal(f.line, 0); /* the map may be inline, so the line may be in no file */
	assert_int_equal(f.generated_line, 1);
	url = "app.js.map";
	before = "function r";
	assert_int_equal(add("/srv/app.js", 9).deferred, f.deferred);
	f = written(f);
	assert_string_equal(f.name, "render");
	assert_int_equal(f.line, 3);
}

static void a_frame_without_source_map_keeps_its_position_if_that_is_in_a_file(void **state)
{
	struct prof_frame f;

	(void)state;
	map = NULL;
	f = written(add("/srv/app.js", 9));
	assert_string_equal(f.file, "/srv/app.js");
	assert_int_equal(f.line, 1);
	assert_null(f.reason);
}

static void translated_code_without_source_map_has_no_lines(void **state)
{
	static const struct {
		const char *file, *url;
		bool is_own, has_line;
	} cases[] = {
		{ "/srv/app.ts", NULL, true, true },	{ "/srv/app.ts", NULL, false, false },
		{ "/srv/app.mts", NULL, false, false }, { "/srv/app.tsx", NULL, false, false },
		{ "/srv/ats", NULL, false, true },	{ "/srv/app.ts", "lost", false, false },
		{ "/srv/app.ts", "lost", true, true },	{ "/srv/app.js", "data:,{", true, false },
		{ "/srv/app.js", "lost", false, true },
	};

	(void)state;
	map = NULL;
	for (size_t i = 0; i < N(cases); i++) {
		struct prof_frame f;

		deferred_maps_free(&maps);
		assert_int_equal(deferred_maps_new(&maps), 0);
		url = cases[i].url;
		is_own = cases[i].is_own;
		f = add(cases[i].file, 9);
		if (f.deferred)
			f = written(f);
		if ((f.line != 0) != cases[i].has_line || (f.start_line != 0 && !f.line))
			fail_msg("case %zu: line %u", i, f.line);
		if (!cases[i].has_line)
			assert_int_equal(f.generated_line, 1);
	}
}

static void count_problem(const char *text, void *data)
{
	char(*texts)[512] = data;

	snprintf(texts[texts[0][0] != 0], sizeof(texts[0]), "%s", text);
}

static void missing_maps_and_translated_code_are_reported_once_each(void **state)
{
	char texts[2][512] = { "", "" };

	(void)state;
	map = NULL;
	written(add("/srv/app.js", 9));
	url = NULL;
	is_own = false;
	add("/srv/b.ts", 9);
	add("/srv/c.ts", 9);
	add("/srv/c.ts", 9);
	deferred_maps_each_problem(maps, count_problem, texts);
	assert_string_equal(texts[0], "/srv/app.js: its source map app.js.map is missing");
	assert_non_null(strstr(texts[1], "/srv/b.ts: "));
	assert_non_null(strstr(texts[1], "(and 1 more)"));
}

/* ---- held maps ---- */

static int file_of(size_t len)
{
	int fd = memfd_create("held", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	return fd;
}

static void a_large_map_is_kept_open_and_a_small_one_is_copied(void **state)
{
	struct held_maps h = { 0 };
	char text[2] = "";
	u32 idx;
	int fd;

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		assert_int_equal(held_maps_add(&h, file_of(i ? LARGE : 1), &idx), 0);
		assert_int_equal(idx, i);
		assert_int_equal(h.n_open, i);
		fd = held_maps_open(&h, idx);
		assert_true(fd >= 0);
		assert_int_equal(pread(fd, text, 1, 0), 1);
		assert_string_equal(text, "x");
		close(fd);
	}
	assert_int_equal(h.copied_len, 1);
	assert_int_equal(h.open_len, LARGE);
	held_maps_deinit(&h);
}

static void the_same_file_is_held_once(void **state)
{
	struct held_maps h = { 0 };
	int fd = file_of(LARGE);
	u32 idx;

	(void)state;
	for (u32 i = 0; i < 3; i++) {
		assert_int_equal(held_maps_add(&h, dup(fd), &idx), 0);
		assert_int_equal(idx, 0);
	}
	assert_int_equal(h.n_open, 1);
	/* A file that was written meanwhile is another map. */
	usleep(20000);
	assert_int_equal(pwrite(fd, "y", 1, 0), 1);
	assert_int_equal(held_maps_open(&h, 0), -ESTALE);
	close(fd);
	held_maps_deinit(&h);
}

/* Adds files of @len bytes until one is refused, but at most @max. Returns their number. */
static u64 n_added(size_t len, u64 max)
{
	struct held_maps h = { 0 };
	u32 idx, n = 0;

	while (n < max && !held_maps_add(&h, file_of(len), &idx))
		n++;
	held_maps_deinit(&h);
	return n;
}

static void the_files_held_are_limited_in_number_and_length(void **state)
{
	static const struct {
		size_t len;
		u64 n;
	} cases[] = {
		{ (64u << 20) + 1, 0 },
		{ LARGE, HELD_MAPS_MAX_OPEN },
		{ 64u << 20, HELD_MAPS_MAX_OPEN_LEN >> 26 },
		{ HELD_MAPS_COPIED_LEN, HELD_MAPS_MAX_COPIED_LEN / HELD_MAPS_COPIED_LEN },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++)
		assert_int_equal(n_added(cases[i].len, cases[i].n + 1), cases[i].n);
}

/* ---- is the script's text that of its file? ---- */

static void lines_of_a_file_are_compared_with_those_of_the_script(void **state)
{
	static const struct {
		const char *file;
		u32 starts[4], n, len;
		bool is_same;
	} cases[] = {
		{ "ab\ncd", { 0, 3 }, 2, 5, true },
		{ "\xef\xbb\xbf"
		  "ab\ncd",
		  { 0, 3 },
		  2,
		  5,
		  true },
		{ "ab\ncd", { 0, 3 }, 2, 6, false }, /* the last line is longer */
		{ "ab\ncd", { 0, 2 }, 2, 5, false },
		{ "ab\ncd", { 0, 3, 6 }, 3, 9, true }, /* "//# sourceURL=.." was appended */
		{ "ab\ncd", { 0, 3, 7 }, 3, 9, false },
		{ "ab\ncd", { 0 }, 1, 5, false },
		{ "ab\n", { 0, 3 }, 2, 3, true },
		{ "ab\n", { 0 }, 1, 3, false },
		{ "ab\r\ncd", { 0, 4 }, 2, 6, true },
		{ "\xc3\xa4\n\xf0\x9f\x98\x80", { 0, 2 }, 2, 4, true }, /* 1 and 2 units */
		{ "", { 0 }, 1, 0, true },
		{ "ab", { 0 }, 0, 2, false },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		struct generated_text t = { (char *)cases[i].file, strlen(cases[i].file) };

		if (generated_text_has_lines(&t, cases[i].starts, cases[i].n, cases[i].len) !=
		    cases[i].is_same)
			fail_msg("case %zu", i);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_frame_gets_its_source_when_the_profile_is_written),
		TEST(frames_that_are_added_after_a_copy_was_written_get_their_sources),
		TEST(text_that_was_unreadable_is_read_again_later),
		TEST(a_frame_without_source_map_keeps_its_position_if_that_is_in_a_file),
		TEST(translated_code_without_source_map_has_no_lines),
		TEST(missing_maps_and_translated_code_are_reported_once_each),
		cmocka_unit_test(a_large_map_is_kept_open_and_a_small_one_is_copied),
		cmocka_unit_test(the_same_file_is_held_once),
		cmocka_unit_test(the_files_held_are_limited_in_number_and_length),
		cmocka_unit_test(lines_of_a_file_are_compared_with_those_of_the_script),
	};

	return CHECK_RUN(tests);
}
