// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests which debug file is found for a binary, and why others are rejected. The test
 * compiles binaries and debug files, moves the common part of two debug files into a third
 * one with dwz(1), and installs all of them below a root directory.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../loader/symbols/debug_search.h"
#include "../check.h"

#define ID "0123456789abcdef0123456789abcdef01234567"
#define OTHER_ID "1123456789abcdef0123456789abcdef01234567"

static char top[] = "/tmp/debug_search.XXXXXX";
static char root[64];
static int root_fd = -1;
static char why[256];
static struct elf_file *found;

static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		fail_msg("%s", command);
}

/* Makes a binary in @top with build ID @id (NULL: none), and its debug file beside it. */
static void make(const char *name, const char *id)
{
	run("cd %s && echo 'int %s(int n) { return n + 1; }' > %s.c &&"
	    " gcc -g -O1 -shared -fPIC -nostdlib -Wl,--build-id=%s%s %s.c -o %s &&"
	    " objcopy --only-keep-debug %s %s.debug && strip -g %s &&"
	    " objcopy --add-gnu-debuglink=%s.debug %s",
	    top, name, name, id ? "0x" : "none", id ? id : "", name, name, name, name, name, name,
	    name);
}

static int begin(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "%s/root", top);
	run("rm -rf %s && mkdir -p %s/usr/bin/.debug %s/usr/lib/debug/usr/bin"
	    " %s/usr/lib/debug/.build-id/01 %s/usr/lib/debug/.build-id/11",
	    root, root, root, root, root);
	root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	why[0] = 0;
	return root_fd < 0 ? -1 : 0;
}

static int finish(void **state)
{
	(void)state;
	elf_file_free(&found);
	return close(root_fd);
}

static struct elf_file *open_file(const char *name)
{
	struct elf_file *f;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(elf_file_open_fd(&f, fd), 0);
	close(fd);
	return f;
}

/* Searches for the debug file of a binary that is mapped at /usr/bin/NAME below the root. */
static int search_with(const char *name, const char *fetched)
{
	struct elf_file *f = open_file(name);
	char mapped[64];
	int err;

	snprintf(mapped, sizeof(mapped), "/usr/bin/%s", name);
	elf_file_free(&found);
	err = debug_search(f, root_fd, mapped, fetched, &found, why, sizeof(why));
	elf_file_free(&f);
	assert_true((found != NULL) == !err);
	return err;
}

static int search(const char *name)
{
	return search_with(name, NULL);
}

static void lay(const char *file, const char *under_root)
{
	run("cp %s/%s %s%s", top, file, root, under_root);
}

static void a_debug_file_is_found_in_each_standard_directory(void **state)
{
	static const char *const places[] = {
		"/usr/lib/debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug",
		"/usr/lib/debug/usr/bin/one.debug",
		"/usr/bin/one.debug",
		"/usr/bin/.debug/one.debug",
	};

	(void)state;
	assert_int_equal(search("one"), -ENOENT);
	assert_string_equal(why, "");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		lay("one.debug", places[i]);
		assert_int_equal(search("one"), 0);
		assert_string_equal(elf_file_build_id(found), ID);
		run("rm %s%s", root, places[i]);
		assert_int_equal(search("one"), -ENOENT);
	}
}

static void a_debug_file_is_rejected_if_it_belongs_to_another_build(void **state)
{
	(void)state;
	lay("two.debug", "/usr/bin/one.debug");
	assert_int_equal(search("one"), -ENOENT);
	assert_string_equal(why, "/usr/bin/one.debug is of another build");
	lay("one.debug", "/usr/bin/.debug/one.debug");
	assert_int_equal(search("one"), 0);
}

static void the_checksum_must_match_if_a_debug_file_has_no_build_id(void **state)
{
	(void)state;
	lay("plain.debug", "/usr/bin/plain.debug");
	assert_int_equal(search("plain"), 0);
	run("printf x >> %s/usr/bin/plain.debug", root);
	assert_int_equal(search("plain"), -ENOENT);
	assert_string_equal(why, "/usr/bin/plain.debug has another checksum");
}

static void a_debug_file_must_be_a_regular_file(void **state)
{
	(void)state;
	run("mkfifo %s/usr/bin/one.debug", root);
	assert_int_equal(search("one"), -ENOENT);
	assert_string_equal(why, "/usr/bin/one.debug is not a regular file");
	run("rm %s/usr/bin/one.debug; echo text > %s/usr/bin/one.debug", root, root);
	assert_int_equal(search("one"), -ENOENT);
	assert_string_equal(why, "/usr/bin/one.debug can't be read");
}

/* A symlink's target is resolved below the root, whatever the text of the symlink is. */
static void symlinks_to_debug_files_are_resolved_inside_the_root_folder(void **state)
{
	(void)state;
	run("ln -s %s/one.debug %s/usr/bin/one.debug", top, root);
	assert_int_equal(search("one"), -ENOENT);
	run("ln -sf ../../../../..%s/one.debug %s/usr/bin/one.debug", top, root);
	assert_int_equal(search("one"), -ENOENT);
	lay("one.debug", "/usr/lib/debug/kept");
	run("ln -sf /usr/lib/debug/kept %s/usr/bin/one.debug", root);
	assert_int_equal(search("one"), 0);
}

/* A binary whose debug link names the binary itself is not its own debug file. */
static void a_binary_is_not_its_own_debug_file(void **state)
{
	(void)state;
	run("ln %s/one %s/usr/bin/one.debug", top, root);
	assert_int_equal(search("one"), -ENOENT);
}

static void a_fetched_debug_file_is_preferred_if_its_build_id_matches(void **state)
{
	char path[128];

	(void)state;
	snprintf(path, sizeof(path), "%s/one.debug", top);
	assert_int_equal(search_with("one", path), 0);
	snprintf(path, sizeof(path), "%s/two.debug", top);
	assert_int_equal(search_with("one", path), -ENOENT);
	assert_non_null(strstr(why, "two.debug is of another build"));
	lay("one.debug", "/usr/bin/one.debug");
	assert_int_equal(search_with("one", path), 0);
}

/* ---- files of dwz(1) ---- */

/*
 * Makes two debug files, and moves their common types with dwz into @common, to which they
 * refer as @link. The build ids of the two files are ID and OTHER_ID; the build id of @common
 * depends on its content.
 */
static void make_common(const char *common, const char *link, const char *type)
{
	run("cd %s && (echo 'struct shared {'; seq -f 'long %s_%%.0f;' 50; echo '} %s;') > %s.h",
	    top, type, type, common);
	for (int i = 1; i < 3; i++)
		run("cd %s && gcc -g -O1 -shared -fPIC -nostdlib -Wl,--build-id=0x%s"
		    " -include %s.h -xc /dev/null -o %s.%d",
		    top, i == 1 ? ID : OTHER_ID, common, common, i);
	run("cd %s && dwz -m %s -M %s %s.1 %s.2", top, common, link, common, common);
}

static int search_alt(const char *name)
{
	struct elf_file *f = open_file(name);
	int err;

	elf_file_free(&found);
	err = debug_search_alt(f, root_fd, "/usr/bin/one", &found, why, sizeof(why));
	elf_file_free(&f);
	assert_true((found != NULL) == !err);
	return err;
}

static const char *build_id_of(const char *name)
{
	static char id[129];
	struct elf_file *f = open_file(name);

	assert_non_null(elf_file_build_id(f));
	snprintf(id, sizeof(id), "%s", elf_file_build_id(f));
	elf_file_free(&f);
	return id;
}

/* Checks that @common is found by @name at each of @places if it exists only there. */
static void check_common(const char *common, const char *name, const char *const *places, size_t n)
{
	assert_int_equal(search_alt(name), -ENOENT);
	for (size_t i = 0; i < n; i++) {
		run("install -D %s/%s %s%s", top, common, root, places[i]);
		assert_int_equal(search_alt(name), 0);
		assert_string_equal(elf_file_build_id(found), build_id_of(common));
		run("rm %s%s", root, places[i]);
		assert_int_equal(search_alt(name), -ENOENT);
	}
	assert_string_equal(why, "");
}

static void a_dwz_file_is_found_by_build_id(void **state)
{
	const char *id = build_id_of("near");
	char path[256];
	const char *const places[] = { path };

	(void)state;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2);
	check_common("near", "near.1", places, 1);
}

static void a_dwz_file_is_found_by_a_relative_link(void **state)
{
	static const char *const places[] = {
		"/usr/lib/debug/.build-id/01/../.dwz/near", /* from the folder of near.1's build ID
							     */
		"/usr/lib/debug/usr/bin/../.dwz/near",
		"/usr/bin/../.dwz/near",
	};

	(void)state;
	check_common("near", "near.1", places, sizeof(places) / sizeof(places[0]));
}

static void a_dwz_file_is_found_by_an_absolute_link(void **state)
{
	static const char *const places[] = { "/usr/lib/debug/.dwz/far" };

	(void)state;
	check_common("far", "far.2", places, 1);
}

static void a_dwz_file_is_rejected_if_it_belongs_to_another_build(void **state)
{
	(void)state;
	run("install -D %s/far %s/usr/.dwz/near", top, root);
	assert_int_equal(search_alt("near.1"), -ENOENT);
	assert_string_equal(why, "/usr/bin/../.dwz/near is of another build");
	run("install -D %s/near %s/usr/lib/debug/usr/.dwz/near", top, root);
	assert_int_equal(search_alt("near.1"), 0);
}

static void no_dwz_file_is_searched_for_a_file_without_a_dwz_link(void **state)
{
	(void)state;
	run("install -D %s/near %s/usr/.dwz/near", top, root);
	assert_int_equal(search_alt("one.debug"), -ENOENT);
	assert_string_equal(why, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_debug_file_is_found_in_each_standard_directory),
		TEST(a_debug_file_is_rejected_if_it_belongs_to_another_build),
		TEST(the_checksum_must_match_if_a_debug_file_has_no_build_id),
		TEST(a_debug_file_must_be_a_regular_file),
		TEST(symlinks_to_debug_files_are_resolved_inside_the_root_folder),
		TEST(a_binary_is_not_its_own_debug_file),
		TEST(a_fetched_debug_file_is_preferred_if_its_build_id_matches),
		TEST(a_dwz_file_is_found_by_build_id),
		TEST(a_dwz_file_is_found_by_a_relative_link),
		TEST(a_dwz_file_is_found_by_an_absolute_link),
		TEST(a_dwz_file_is_rejected_if_it_belongs_to_another_build),
		TEST(no_dwz_file_is_searched_for_a_file_without_a_dwz_link),
	};
	int status;

	if (!mkdtemp(top))
		return 1;
	make("one", ID);
	make("two", OTHER_ID);
	make("plain", NULL);
	make_common("near", "../.dwz/near", "near_type");
	make_common("far", "/usr/lib/debug/.dwz/far", "far_type");
	status = CHECK_RUN(tests);
	run("rm -r %s", top);
	return status;
}
