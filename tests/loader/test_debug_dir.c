// SPDX-License-Identifier: BSD-2-Clause

/*
 * Binaries and debug files in a folder, for profiles from another machine. The file in the folder
 * is a copy of this program, and the profile has the address of one of its functions.
 */

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/cleanup.h"
#include "../../loader/symbols/debug_dir.h"
#include "../check.h"

static const int function_line = __LINE__ + 1;
__attribute__((noinline, noclone)) static int a_function(int n)
{
	__asm__ volatile("nop\n\tnop" : "+r"(n));
	return n + 1;
}

#define UNNAMED(id, module)                                                                        \
	"{\"type\":\"frame\",\"id\":" #id ",\"kind\":\"native\",\"module\":\"" module              \
	"\",\"build_id\":\"%s\",\"addr\":\"0x1\"}\n"

static char folder[] = "/tmp/unspool-debug-dir-XXXXXX", build_id[129];
static u64 addr; /* link-time address of an instruction of a_function() */

static int find_self(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	addr = (u64)a_function - info->dlpi_addr + 1;
	return 1;
}

static char *path_in(const char *name)
{
	char *path;

	assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
	return path;
}

static void copy_self(const char *name)
{
	_cleanup_free_ char *path = path_in(name);
	_cleanup_close_ int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	struct stat st;

	assert_int_equal(fstat(from, &st), 0);
	assert_int_equal(sendfile(to, from, NULL, (size_t)st.st_size), st.st_size);
}

/* Changes the build id of a copy of this program. */
static void change_id(const char *name)
{
	_cleanup_free_ char *path = path_in(name);
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	static u8 start[4096]; /* the note is near the file's start */
	u8 id[3], *at;

	for (size_t i = 0; i < sizeof(id); i++)
		assert_int_equal(sscanf(build_id + 2 * i, "%2hhx", &id[i]), 1);
	assert_int_equal(pread(fd, start, sizeof(start), 0), sizeof(start));
	at = memmem(start, sizeof(start), id, sizeof(id));
	assert_non_null(at);
	*at ^= 1;
	assert_int_equal(pwrite(fd, at, 1, at - start), 1);
}

static void make_folder(const char *name)
{
	_cleanup_free_ char *path = path_in(name);

	assert_int_equal(mkdir(path, 0700), 0);
}

static void remove_at(const char *name)
{
	_cleanup_free_ char *path = path_in(name);

	assert_int_equal(remove(path), 0);
}

/* Reads the only frame of a profile, and returns the line that the reader makes of it. */
static char *frame_of(const char *id, const char *more)
{
	_cleanup_(debug_dir_free) struct debug_dir *d = NULL;
	_cleanup_(prof_reader_free) struct prof_reader *r = NULL;
	_cleanup_free_ char *text = NULL;
	struct prof_record record;
	int fd = memfd_create("profile", MFD_CLOEXEC), len;
	char *line;

	len = asprintf(&text,
		       "{\"type\":\"header\",\"schema\":1,\"hz\":99}\n{\"type\":\"frame\",\"id\":1,"
		       "\"kind\":\"native\",\"module\":\"/srv/x\",\"build_id\":\"%s\"%s}\n",
		       id, more);
	assert_int_equal(write(fd, text, (size_t)len), len);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(prof_reader_new(fd, "p", &r), 0);
	assert_int_equal(debug_dir_new(&d, folder), 0);
	debug_dir_attach(d, r);
	assert_int_equal(prof_reader_next(r, &record), 1);
	assert_int_equal(prof_reader_next(r, &record), 1);
	line = strndup(record.line, record.len);
	assert_non_null(line);
	return line;
}

static char *frame_at(const char *id, u64 at)
{
	char more[128];

	snprintf(more, sizeof(more),
		 ",\"off\":\"0x123\",\"start_off\":\"0x100\",\"addr\":\"0x%llx\"", at);
	return frame_of(id, more);
}

static void assert_named(bool is_named)
{
	_cleanup_free_ char *line = frame_at(build_id, addr);
	char start[64];

	snprintf(start, sizeof(start), "\"start_line\":%d", function_line);
	assert_int_equal(strstr(line, "\"name\":\"a_function\"") != NULL, is_named);
	assert_int_equal(strstr(line, "test_debug_dir.c\"") != NULL, is_named);
	assert_int_equal(strstr(line, start) != NULL, is_named);
	assert_int_equal(strstr(line, "\"off\":\"0x123\"") != NULL, !is_named);
	assert_int_equal(strstr(line, "\"start_off\":\"0x100\"") != NULL, !is_named);
}

static void function_is_named_by_a_file_of_any_name_with_the_build_id(void **state)
{
	(void)state;
	assert_named(false);
	make_folder("deep");
	copy_self("deep/any.so");
	assert_named(true);
	remove_at("deep/any.so");
	remove_at("deep");
	assert_named(false);
}

static void function_is_named_by_the_file_in_the_folder_of_build_ids(void **state)
{
	char name[512];

	(void)state;
	make_folder(".build-id");
	snprintf(name, sizeof(name), ".build-id/%.2s", build_id);
	make_folder(name);
	snprintf(name, sizeof(name), ".build-id/%.2s/%s.debug", build_id, build_id + 2);
	copy_self(name);
	assert_named(true);
	remove_at(name);
	copy_self(name);
	change_id(name);
	assert_named(false);
	remove_at(name);
	copy_self("other");
	make_folder(name); /* no regular file */
	assert_named(true);
	remove_at("other");
	remove_at(name);
	snprintf(name, sizeof(name), ".build-id/%.2s", build_id);
	remove_at(name);
	remove_at(".build-id");
}

static void frames_that_the_file_does_not_describe_are_unchanged(void **state)
{
	static const char *const others[] = { "",
					      "ab",
					      "../../../proc/self/exe",
					      "/proc/self/exe",
					      "0123456789abcdef0123456789abcdef01234567",
					      "%s%s%s%s%s%s" };
	_cleanup_free_ char *named = NULL, *without = NULL;
	char more[64];

	(void)state;
	copy_self("self");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		_cleanup_free_ char *line = frame_at(others[i], addr);

		assert_null(strstr(line, "\"name\""));
	}
	snprintf(more, sizeof(more), ",\"name\":\"own\",\"addr\":\"0x%llx\"", addr);
	named = frame_of(build_id, more);
	assert_non_null(strstr(named, "\"name\":\"own\""));
	without = frame_of(build_id, ",\"off\":\"0x123\"");
	assert_null(strstr(without, "\"name\""));
	remove_at("self");
}

/* Reads frames without a name, of two files that do not exist and of this program. */
static void files_that_are_missing_are_counted_once(void **state)
{
	static const char format[] =
		"{\"type\":\"header\",\"schema\":1,\"hz\":99}\n" UNNAMED(1, "/a") UNNAMED(2, "/a")
			UNNAMED(3, "/b") UNNAMED(4, "/c");
	_cleanup_(debug_dir_free) struct debug_dir *d = NULL;
	_cleanup_(prof_reader_free) struct prof_reader *r = NULL;
	const char *path, *id;
	struct prof_record record;
	int fd = memfd_create("profile", MFD_CLOEXEC);

	(void)state;
	copy_self("self");
	dprintf(fd, format, "aaaaaaaa", "aaaaaaaa", "bbbbbbbb", build_id);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(prof_reader_new(fd, "p", &r), 0);
	assert_int_equal(debug_dir_new(&d, folder), 0);
	debug_dir_attach(d, r);
	assert_int_equal(debug_dir_missing(d, &path, &id), 0);
	while (prof_reader_next(r, &record) == 1)
		;
	assert_int_equal(debug_dir_missing(d, &path, &id), 2);
	assert_string_equal(path, "/a");
	assert_string_equal(id, "aaaaaaaa");
	assert_int_equal(debug_dir_missing(NULL, &path, &id), 0);
	remove_at("self");
}

static void search_ends_at_a_fifo_and_at_a_link_that_forms_a_circle(void **state)
{
	_cleanup_free_ char *fifo = path_in("fifo"), *link = path_in("up");

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(symlink(".", link), 0);
	copy_self("self");
	assert_named(true);
	remove_at("self");
	remove_at("fifo");
	remove_at("up");
}

static void folder_that_does_not_exist_is_refused(void **state)
{
	struct debug_dir *d = NULL;

	(void)state;
	assert_int_equal(debug_dir_new(&d, "/nowhere"), -ENOENT);
	assert_int_equal(debug_dir_new(&d, "/proc/self/exe"), -ENOTDIR);
	assert_null(d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(function_is_named_by_a_file_of_any_name_with_the_build_id),
		cmocka_unit_test(function_is_named_by_the_file_in_the_folder_of_build_ids),
		cmocka_unit_test(frames_that_the_file_does_not_describe_are_unchanged),
		cmocka_unit_test(files_that_are_missing_are_counted_once),
		cmocka_unit_test(search_ends_at_a_fifo_and_at_a_link_that_forms_a_circle),
		cmocka_unit_test(folder_that_does_not_exist_is_refused),
	};
	struct elf_file *self;

	dl_iterate_phdr(find_self, NULL);
	if (!mkdtemp(folder) || a_function(1) != 2 || elf_file_open(&self, "/proc/self/exe"))
		return 1;
	snprintf(build_id, sizeof(build_id), "%s", elf_file_build_id(self));
	elf_file_free(&self);

	int failed = CHECK_RUN(tests);

	rmdir(folder);
	return failed;
}
