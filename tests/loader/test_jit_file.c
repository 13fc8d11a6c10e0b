// SPDX-License-Identifier: BSD-2-Clause

/* Tests which jitdump and which perf map are trusted to be the process's own. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../loader/jit/jit_file.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

/* This process, but with a pid that no process has: pid_max is at most 4 Mi. */
static struct jit_owner owner;
static char map[64];
static struct process process;

static u64 boot_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec;
}

static void write_map(void)
{
	FILE *f = fopen(map, "w");

	assert_non_null(f);
	fputs("1000 10 name\n", f);
	assert_int_equal(fclose(f), 0);
}

static int begin(void **state)
{
	(void)state;
	owner = (struct jit_owner){ 5000000 + (u32)getpid(), geteuid() };
	process = (struct process){ .pid = (u32)getpid(), .start_ns = boot_ns() - 1000000000 };
	snprintf(map, sizeof(map), "/tmp/perf-%u.map", owner.pid);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	remove(map);
	return 0;
}

static void expect(int err, const char *words)
{
	const char *why = NULL;
	int fd = -1;

	assert_int_equal(jit_open_map(&process, &owner, &fd, &why), err);
	assert_int_equal(fd >= 0, !err);
	if (words)
		assert_non_null(strstr(why, words));
	else
		assert_null(why);
	if (fd >= 0)
		close(fd);
}

static void a_perf_map_of_the_process_is_opened(void **state)
{
	(void)state;
	expect(-ENOENT, NULL);
	write_map();
	expect(0, NULL);
}

static void a_perf_map_of_another_user_is_rejected(void **state)
{
	(void)state;
	write_map();
	owner.uid = geteuid() + 1;
	if (geteuid()) { /* root may write maps for any user */
		expect(-EPERM, "another user");
		return;
	}
	expect(0, NULL);
	assert_int_equal(chown(map, 1234, 1234), 0);
	expect(-EPERM, "another user");
	owner.uid = 1234;
	expect(0, NULL);
}

static void a_perf_map_older_than_the_process_is_rejected(void **state)
{
	struct timespec now, old[2];

	(void)state;
	write_map();
	clock_gettime(CLOCK_REALTIME, &now);
	old[0] = old[1] = (struct timespec){ now.tv_sec - 2, now.tv_nsec };
	assert_int_equal(utimensat(AT_FDCWD, map, old, 0), 0);
	expect(-EPERM, "earlier process");
	process.start_ns = boot_ns() - 10000000000;
	expect(0, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now); /* the process has called exec since */
	process.exec_ns = (u64)now.tv_sec * 1000000000 + (u64)now.tv_nsec - 1000000000;
	expect(-EPERM, "earlier process");
}

static void symlinks_and_special_files_are_rejected(void **state)
{
	char other[96];

	(void)state;
	assert_int_equal(mkdir(map, 0700), 0);
	expect(-EPERM, "not a regular file");
	assert_int_equal(rmdir(map), 0);
	assert_int_equal(mkfifo(map, 0600), 0);
	expect(-EPERM, "not a regular file");
	assert_int_equal(unlink(map), 0);
	write_map();
	snprintf(other, sizeof(other), "%s.other", map);
	assert_int_equal(rename(map, other), 0);
	assert_int_equal(symlink(other, map), 0);
	expect(-EPERM, "not a regular file"); /* the link is opened, not its target */
	assert_int_equal(unlink(other), 0);
}

static void a_jitdump_marker_is_recognized_by_its_file_name(void **state)
{
	static const struct {
		const char *path;
		u64 inode;
		bool is_marker;
		u32 pid;
	} rows[] = {
		{ "/tmp/jit-812.dump", 1, true, 812 },
		{ "/a/b/jit-1.dump", 1, true, 1 },
		{ "/jit-4294967295.dump", 1, true, 4294967295 },
		{ "/jit-4294967296.dump", 1, false, 0 },
		{ "/jit-18446744073709551616.dump", 1, false, 0 },
		{ "/tmp/jit-812.dump", 0, false, 0 },
		{ "/tmp/jit-.dump", 1, false, 0 },
		{ "/tmp/jit--1.dump", 1, false, 0 },
		{ "/tmp/jit- 1.dump", 1, false, 0 },
		{ "/tmp/jit-812.dump.old", 1, false, 0 },
		{ "/tmp/jit-812", 1, false, 0 },
		{ "/tmp/xjit-812.dump", 1, false, 0 },
		{ "jit-812.dump", 1, false, 0 },
	};
	_Alignas(struct path_ref) char room[sizeof(struct path_ref) + 64];
	struct path_ref *path = (void *)room;

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct mapping m = { .inode = rows[i].inode, .path = path };
		u32 pid = 0;

		strcpy((char *)path->text, rows[i].path);
		assert_int_equal(jit_is_marker(&m, &pid), rows[i].is_marker);
		assert_int_equal(pid, rows[i].pid);
	}
	assert_false(jit_is_marker(&(struct mapping){ .inode = 1 }, &(u32){ 0 }));
}

static void the_owner_of_a_jit_file_must_be_the_fsuid_of_the_process(void **state)
{
	struct jit_owner o = { 0 };

	(void)state;
	assert_int_equal(jit_owner_read((u32)getpid(), &o), 0);
	assert_int_equal(o.uid, geteuid());
	assert_true(o.pid > 0);
	assert_int_equal(jit_owner_read(5000000, &o), -ESRCH);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_perf_map_of_the_process_is_opened),
		TEST(a_perf_map_of_another_user_is_rejected),
		TEST(a_perf_map_older_than_the_process_is_rejected),
		TEST(symlinks_and_special_files_are_rejected),
		TEST(a_jitdump_marker_is_recognized_by_its_file_name),
		TEST(the_owner_of_a_jit_file_must_be_the_fsuid_of_the_process),
	};

	return CHECK_RUN(tests);
}
