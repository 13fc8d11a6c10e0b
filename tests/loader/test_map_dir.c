// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests source maps in a folder, for profiles from another machine, and the text before a
 * position in a file.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../loader/sourcemap/generated_text.h"
#include "../../loader/sourcemap/map_dir.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* A map that maps column 5 of line 1 to the name "render" at line 3 of @source. */
#define MAP(source)                                                                                \
	"{\"version\":3,\"sources\":[\"" source "\"],\"names\":[\"render\"],\"mappings\":"         \
	"\"IAEAA\"}"

#define HEADER "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n"
#define FRAME(id, file)                                                                            \
	"{\"type\":\"frame\",\"id\":" #id ",\"kind\":\"js\",\"name\":\"r\",\"file\":\"" file       \
	"\",\"line\":1,\"column\":9,\"start_line\":1,\"start_column\":6,\"new\":1}\n"

static char folder[] = "/tmp/unspool-map-dir-XXXXXX";

static const struct {
	const char *name, *text;
} files[] = {
	{ "app.js.map", MAP("short.ts") },
	{ "dist/app.js.map", MAP("../long.ts") },
	{ "named.js", "abc.r(x)\n//# sourceMappingURL=dist/other.map" },
	{ "dist/other.map", MAP("named.ts") },
	{ "inline.js", "abc.r(x)\n//# sourceMappingURL=data:;base64,"
		       "eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImluLnRzIl0sIm5hbWVzIjpbInJlbmRlciJdLCJtYXB"
		       "waW5ncyI6IklBRUFBIn0=" },
};

static void write_files(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/dist", folder);
	mkdir(path, 0700);
	for (size_t i = 0; i < N(files); i++) {
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		f = fopen(path, "w");
		assert_non_null(f);
		fputs(files[i].text, f);
		fclose(f);
	}
}

static void remove_files(void)
{
	char path[128];

	for (size_t i = 0; i < N(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i].name);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/dist", folder);
	rmdir(path);
	rmdir(folder);
}

static struct prof_reader *open_profile(const char *text)
{
	struct prof_reader *r = NULL;
	int fd = memfd_create("profile", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(prof_reader_new(fd, "made", &r), 0);
	return r;
}

static void frames_are_named_from_the_source_maps_in_the_specified_folder(void **state)
{
	static const struct {
		const char *frame, *file, *name;
	} cases[] = {
		{ FRAME(1, "/srv/app.js"), "/srv/short.ts", "r" },
		{ FRAME(1, "/srv/dist/app.js"), "/srv/long.ts", "r" },
		{ FRAME(1, "file:///a%20b/dist/app.js"), "/a b/long.ts", "r" },
		{ FRAME(1, "/srv/named.js"), "/srv/dist/named.ts", "render" },
		{ FRAME(1, "/srv/inline.js"), "/srv/in.ts", "render" },
		{ FRAME(1, "/srv/unknown.js"), NULL, NULL },
		{ FRAME(1, "app.js"), NULL, NULL },
		{ FRAME(1, "node:fs"), NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		_cleanup_(map_dir_free) struct map_dir *d = NULL;
		_cleanup_(prof_reader_free) struct prof_reader *r = NULL;
		_cleanup_free_ char *text = NULL, *line = NULL;
		const struct prof_frame *f;
		struct prof_record rec;

		assert_true(asprintf(&text, HEADER "%s", cases[i].frame) > 0);
		r = open_profile(text);
		assert_int_equal(map_dir_new(&d, folder), 0);
		map_dir_attach(d, r);
		assert_int_equal(prof_reader_next(r, &rec), 1);
		assert_int_equal(prof_reader_next(r, &rec), 1);
		f = &rec.frame.frame;
		line = strndup(rec.line, rec.len);
		assert_int_equal(f->generated_file != NULL, cases[i].file != NULL);
		if (!f->generated_file) {
			assert_int_equal(f->line, 1);
			assert_non_null(strstr(line, "\"new\":1"));
			continue;
		}
		assert_string_equal(f->file, cases[i].file);
		assert_string_equal(f->name, cases[i].name);
		assert_int_equal(f->line, 3);
		assert_int_equal(f->generated_column, 9);
		assert_non_null(strstr(line, "\"id\":1,\"kind\":\"js\""));
		assert_non_null(strstr(line, cases[i].file));
		assert_int_equal(line[strlen(line) - 1], '}');
	}
}

static void a_frame_that_has_a_source_position_is_unchanged(void **state)
{
	_cleanup_(map_dir_free) struct map_dir *d = NULL;
	_cleanup_(prof_reader_free) struct prof_reader *r =
		open_profile(HEADER "{\"type\":\"frame\",\"id\":1,\"kind\":\"js\",\"name\":\"r\","
				    "\"file\":\"/srv/app.js\",\"line\":1,\"column\":9,"
				    "\"generated_file\":\"/srv/x.js\"}\n");
	struct prof_record rec;

	(void)state;
	assert_int_equal(map_dir_new(&d, folder), 0);
	map_dir_attach(d, r);
	assert_int_equal(prof_reader_next(r, &rec), 1);
	assert_int_equal(prof_reader_next(r, &rec), 1);
	assert_string_equal(rec.frame.frame.file, "/srv/app.js");
	assert_int_equal(rec.frame.frame.line, 1);
}

static void a_missing_folder_of_source_maps_is_an_error(void **state)
{
	struct map_dir *d = NULL;

	(void)state;
	assert_int_equal(map_dir_new(&d, "/nowhere"), -ENOENT);
	assert_int_equal(map_dir_new(&d, "/etc/passwd"), -ENOTDIR);
	assert_null(d);
}

static void lines_and_columns_are_counted_as_v8_counts_them(void **state)
{
	static char text[] = "ab\r\ncd\re\xe2\x80\xa8"
			     "f\xf0\x9f\x98\x80g\xc3\xa9h";
	static const struct {
		u32 line, column, len;
		const char *want; /* NULL: no such position */
	} cases[] = {
		{ 1, 1, 8, "" },	  { 1, 3, 8, "ab" },
		{ 1, 3, 1, "b" },	  { 1, 4, 8, NULL },
		{ 2, 3, 8, "cd" },	  { 3, 2, 8, "e" },
		{ 4, 4, 8, "f\x80\x80" }, { 4, 7, 8, "f\x80\x80g\x80h" },
		{ 4, 7, 2, "\x80h" },	  { 4, 8, 8, NULL },
		{ 5, 1, 8, "" },	  { 5, 2, 8, NULL },
		{ 0, 1, 8, NULL },	  { 1, 0, 8, NULL },
	};
	const struct generated_text t = { text, sizeof(text) - 1 };

	(void)state;
	for (size_t i = 0; i < N(cases); i++) {
		char out[8];
		int n = generated_text_before(&t, cases[i].line, cases[i].column, out,
					      cases[i].len);

		assert_int_equal(n, cases[i].want ? (int)strlen(cases[i].want) : -ENOENT);
		if (n > 0)
			assert_memory_equal(out, cases[i].want, n);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(frames_are_named_from_the_source_maps_in_the_specified_folder),
	cmocka_unit_test(a_frame_that_has_a_source_position_is_unchanged),
	cmocka_unit_test(a_missing_folder_of_source_maps_is_an_error),
	cmocka_unit_test(lines_and_columns_are_counted_as_v8_counts_them),
};

int main(void)
{
	int failed;

	if (!mkdtemp(folder))
		return 1;
	write_files();
	failed = CHECK_RUN(tests);
	remove_files();
	return failed;
}
