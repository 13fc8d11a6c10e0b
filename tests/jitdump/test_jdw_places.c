// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the writer in difficult places: on a full disk, on a noexec file system, and in children
 * forked while threads write. The test mounts small file systems, which needs
 * root.
 */

#include "../check.h"

#include "../../inspect/jitdump/jd_check.h"
#include "../../inspect/jitdump/unspool-jitdump.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_THREADS 4
#define N_CHILDREN 40

static char dir[] = "/tmp/unspool-jdw-XXXXXX";
static const u8 code[4096] = { 0xc3 };

static int add(struct jdw *w, const char *name, u64 addr, size_t size)
{
	return jdw_add(
		w, &(struct jdw_code){ .name = name, .addr = addr, .code = code, .size = size });
}

static void count(void *data, const struct jd_finding *f)
{
	fprintf(stderr, "%llu: %s: %s\n", f->off, jd_rules[f->rule].name, f->text);
	++*(u64 *)data;
}

/*
 * Returns the number of records in the file, or a negative number if the file
 * is unreadable or faulty.
 */
static s64 n_checked(const char *path)
{
	struct jd_file f;
	u64 n_found = 0;
	s64 n;

	if (jd_file_read(&f, path))
		return -1;
	n = jd_check_file(&f, &(struct jd_check){ .file_name = strrchr(path, '/') + 1,
						  .found = count,
						  .data = &n_found });
	jd_file_deinit(&f);
	return n_found ? -2 : n;
}

/* Mounts a file system over the folder. */
static void mount_disk(unsigned long flags, const char *how)
{
	assert_int_equal(mount("none", dir, "tmpfs", flags, how), 0);
}

static void opening_a_writer_on_a_noexec_file_system_fails_and_creates_no_file(void **state)
{
	struct jdw_options o = { .dir = dir };
	struct jdw *w = NULL;
	char path[64];

	(void)state;
	mount_disk(MS_NOEXEC, "size=64k");
	assert_int_equal(jdw_open(&o, &w), -EPERM);
	assert_null(w);
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(umount(dir), 0);
}

static void the_writer_continues_with_whole_records_when_a_full_disk_has_space_again(void **state)
{
	struct jdw_options o = { .dir = dir };
	char filler[64], path[64];
	struct jdw_counts counts;
	struct jdw *w = NULL;
	u64 n_lost = 0;
	FILE *f;

	(void)state;
	mount_disk(0, "size=64k");
	snprintf(filler, sizeof(filler), "%s/filler", dir);
	f = fopen(filler, "w");
	assert_int_equal(fwrite(code, 4096, 1, f), 1);
	fclose(f);
	assert_int_equal(jdw_open(&o, &w), 0);
	snprintf(path, sizeof(path), "%s", jdw_path(w));
	for (u64 i = 0; i < 40; i++)
		n_lost += add(w, "function", 0x10000 + i * 4096, 4096) == -ENOSPC;
	assert_in_range(n_lost, 20, 30);
	assert_int_equal(n_checked(path), 40 - n_lost);
	assert_int_equal(unlink(filler), 0);
	assert_int_equal(add(w, "after", 0x1000, 4000), 0);
	jdw_counts(w, &counts);
	assert_int_equal(counts.lost, n_lost);
	jdw_close(&w);
	assert_int_equal(n_checked(path), 41 - n_lost);
	assert_int_equal(umount(dir), 0);
}

static atomic_bool is_over;

static void *write_on(void *data)
{
	struct jdw *w = data;
	static atomic_ullong next = 1;

	while (!is_over) {
		u64 i = next++;

		if (add(w, "of a thread", 0x100000 + i % 1000 * 256, 16 + i % 200))
			abort();
	}
	return NULL;
}

static int child(struct jdw *w)
{
	char path[64];
	s64 n;

	alarm(20); /* a lock that a parent's thread held would never be released */
	snprintf(path, sizeof(path), "%s/jit-%d.dump", dir, getpid());
	for (u64 i = 0; i < 5; i++)
		if (add(w, "of a child", 0x9000000 + i * 16, 16))
			return 1;
	n = n_checked(path);
	return n < 6 || n > 1006 ? 2 : 0;
}

static void a_child_forked_while_threads_write_gets_a_valid_jitdump(void **state)
{
	struct jdw_options o = { .dir = dir };
	pthread_t threads[N_THREADS];
	struct jdw *w = NULL;
	char path[64];

	(void)state;
	assert_int_equal(jdw_open(&o, &w), 0);
	snprintf(path, sizeof(path), "%s", jdw_path(w));
	assert_int_equal(add(w, "first", 0x1000, 16), 0);
	for (u32 i = 0; i < N_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_on, w), 0);
	for (u32 i = 0; i < N_CHILDREN; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			_exit(child(w));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	is_over = true;
	for (u32 i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	jdw_close(&w);
	assert_in_range(n_checked(path), N_CHILDREN, 100000000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(opening_a_writer_on_a_noexec_file_system_fails_and_creates_no_file),
	cmocka_unit_test(the_writer_continues_with_whole_records_when_a_full_disk_has_space_again),
	cmocka_unit_test(a_child_forked_while_threads_write_gets_a_valid_jitdump),
};

int main(void)
{
	char command[64];
	int failed;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return check_cannot_run("this test needs root to mount");
	if (!mkdtemp(dir))
		return 1;
	failed = CHECK_RUN(tests);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) ? 1 : failed;
}
