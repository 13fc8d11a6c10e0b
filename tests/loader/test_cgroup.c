/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests control groups in a directory tree that imitates cgroup file systems, with the group
 * names of container runtimes and files of pids. If version 2 is mounted and this is root,
 * also compares the id of a real group with the kernel's.
 */

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../loader/targets/cgroup.h"
#include "../check.h"

#define ID_A "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID_B "0123456789abcdefffffffffffffffffffffffffffffffffffffffffffffffff"
#define ID_C "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
#define ID_D "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
#define ID_E "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"

static char top[] = "/tmp/test-cgroup-XXXXXX";
static struct cgroup_mounts mounts;

static const struct group {
	const char *path, *pids;
} groups[] = {
	{ "v2", "" },
	{ "v2/system.slice", "" },
	{ "v2/system.slice/web.service", "11\n12\n" },
	{ "v2/system.slice/web.service/worker", "13\n" },
	{ "v2/system.slice/empty.service", "" },
	{ "v2/system.slice/docker-" ID_A ".scope", "" },
	{ "v2/system.slice/docker-" ID_A ".scope/init", "21\n" },
	{ "v2/docker", "" },
	{ "v2/docker/" ID_B, "31\n0\n32\n" },
	{ "v2/machine.slice", "" },
	{ "v2/machine.slice/libpod-conmon-" ID_C ".scope", "41\n" },
	{ "v2/machine.slice/libpod-" ID_C ".scope", "42\n" },
	{ "v2/" ID_D, "" }, /* hybrid mode: only one of the two versions has the processes */
	{ "cpu", "" },
	{ "cpu/docker", "" },
	{ "cpu/docker/" ID_D, "51\n52\n" },
	{ "cpu/only-here", "61\n" },
	{ "memory", "" },
	{ "memory/" ID_E, "" }, /* no processes left */
	{ "no-group", "" },
	{ "v2-not", "" }, /* the mount point is only a prefix of the path */
};

static char *below_top(const char *path, char *buf)
{
	assert_true(snprintf(buf, PATH_MAX, "%s/%s", top, path) < PATH_MAX);
	return buf;
}

static void make_groups(void)
{
	char path[PATH_MAX], file[PATH_MAX + 16];

	assert_non_null(mkdtemp(top));
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		FILE *f;

		assert_int_equal(mkdir(below_top(groups[i].path, path), 0755), 0);
		snprintf(file, sizeof(file), "%s/cgroup.procs", path);
		f = fopen(file, "w");
		assert_non_null(f);
		fputs(groups[i].pids, f);
		fclose(f);
	}
	assert_int_equal(symlink("cpu", below_top("cpuacct", path)), 0);
}

static void cgroup_v1_and_v2_mounts_are_found_in_a_mount_table(void **state)
{
	char path[PATH_MAX];
	FILE *f = fopen(below_top("mounts", path), "w");

	(void)state;
	assert_non_null(f);
	fprintf(f,
		"proc /proc proc rw 0 0\n"
		"garbage\n"
		"cgroup %s/cpu cgroup rw,cpu 0 0\n"
		"none %s/v2 cgroup2 rw 0 0\n"
		"cgroup %s/memory cgroup rw,memory 0 0\n"
		"none %s/second cgroup2 rw 0 0\n"
		"x /a\\040b cgroup rw 0 0\n",
		top, top, top, top);
	fclose(f);
	assert_int_equal(cgroup_mounts_read(path, &mounts), 0);
	assert_string_equal(mounts.v2 + strlen(top), "/v2");
	assert_int_equal(mounts.n_v1, 3);
	assert_string_equal(mounts.v1[0] + strlen(top), "/cpu");
	assert_string_equal(mounts.v1[2], "/a b");
	mounts.n_v1 = 2;
	assert_int_equal(cgroup_mounts_read("/nowhere", &mounts), -ENOENT);
}

static void each_cgroup_name_is_either_found_or_rejected(void **state)
{
	static const struct {
		const char *name;
		bool is_below_top; /* the path is absolute */
		int result;
		const char *path;
		bool is_v2;
	} rows[] = {
		{ "system.slice/web.service", false, 0, "v2/system.slice/web.service", true },
		{ "/system.slice/web.service", false, 0, "v2/system.slice/web.service", true },
		{ "v2/system.slice/", true, 0, "v2/system.slice", true },
		{ "v2", true, 0, "v2", true },
		{ "/", false, 0, "v2", true },
		{ "only-here", false, 0, "cpu/only-here", false },
		{ "cpu/only-here", true, 0, "cpu/only-here", false },
		{ "cpuacct/only-here", true, 0, "cpu/only-here", false },
		{ "no-group", true, -EINVAL, NULL, false },
		{ "v2/../no-group", true, -EINVAL, NULL, false },
		{ "v2-not", true, -EINVAL, NULL, false },
		{ "v2/cgroup.procs", true, -ENOENT, NULL, false },
		{ "/tmp", false, -EINVAL, NULL, false },
		{ "web.service", false, -ENOENT, NULL, false },
		{ "/nowhere", false, -ENOENT, NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[PATH_MAX], path[PATH_MAX];
		struct cgroup_dir dir = { .path = "" };
		int result;

		snprintf(name, sizeof(name), "%s", rows[i].name);
		result = cgroup_find(&mounts, rows[i].is_below_top ? below_top(name, path) : name,
				     &dir);
		if (result != rows[i].result)
			fail_msg("%s: %d", rows[i].name, result);
		if (!result &&
		    (strcmp(dir.path, below_top(rows[i].path, path)) || dir.is_v2 != rows[i].is_v2))
			fail_msg("%s: found %s", rows[i].name, dir.path);
	}
}

static void each_container_is_found_by_the_first_digits_of_its_id(void **state)
{
	static const struct {
		const char *prefix;
		int result;
		const char *path;
		bool is_v2;
	} rows[] = {
		{ "0123456789abcdef0", 0, "v2/system.slice/docker-" ID_A ".scope", true },
		{ "0123456789abcdeff", 0, "v2/docker/" ID_B, true },
		{ ID_B, 0, "v2/docker/" ID_B, true },
		{ "0123456789abcdef", -EEXIST, NULL, false },
		{ "cccccccc", 0, "v2/machine.slice/libpod-" ID_C ".scope", true },
		{ "dddddddd", 0, "cpu/docker/" ID_D, false },
		{ "eeeeeeee", -ENOENT, NULL, false },
		{ "12345678", -ENOENT, NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cgroup_dir dir = { .path = "" };
		char id[65] = "", path[PATH_MAX];
		int result = cgroup_find_container(&mounts, rows[i].prefix, &dir, id);

		if (result != rows[i].result)
			fail_msg("%s: %d", rows[i].prefix, result);
		if (result)
			continue;
		if (strcmp(dir.path, below_top(rows[i].path, path)) || dir.is_v2 != rows[i].is_v2)
			fail_msg("%s: found %s", rows[i].prefix, dir.path);
		assert_int_equal(strlen(id), 64);
		assert_int_equal(strncmp(id, rows[i].prefix, strlen(rows[i].prefix)), 0);
	}
}

static void a_cgroup_also_contains_the_pids_in_its_child_cgroups(void **state)
{
	char path[PATH_MAX];
	struct ids ids = { 0 };

	(void)state;
	assert_int_equal(cgroup_pids(below_top("v2/system.slice/web.service", path), &ids), 0);
	assert_int_equal(ids.n, 3);
	assert_true(ids_has(&ids, 11) && ids_has(&ids, 12) && ids_has(&ids, 13));
	assert_int_equal(cgroup_pids(below_top("v2/docker", path), &ids), 0);
	assert_int_equal(ids.n, 5); /* pid 0: a process without a pid in this namespace */
	assert_false(ids_has(&ids, 0));
	ids_deinit(&ids);
}

static void ids_in_a_set_are_sorted_and_stored_once(void **state)
{
	static const int in[] = {
		5, 1, 9, 5, 3, 9, 1, 7, 2, 8, 6, 4, 11, 10, 13, 12, 15, 14, 17, 16
	};
	struct ids ids = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		assert_int_equal(ids_add(&ids, in[i]), 0);
	assert_int_equal(ids.n, 17);
	for (int i = 0; i < 17; i++)
		assert_int_equal(ids.v[i], i + 1);
	assert_false(ids_has(&ids, 0) || ids_has(&ids, 18));
	ids_deinit(&ids);
}

/* In kernfs, a node's id is its file handle and, on 64-bit kernels, its inode number. */
static void the_id_of_a_real_cgroup_is_its_inode_number(void **state)
{
	struct cgroup_mounts real;
	struct stat st;
	u64 id = 0;

	(void)state;
	assert_int_equal(cgroup_mounts_read("/proc/self/mounts", &real), 0);
	if (!real.v2[0]) {
		print_message("cgroup version 2 is not mounted, so nothing was compared\n");
		return;
	}
	assert_int_equal(stat(real.v2, &st), 0);
	assert_int_equal(cgroup_id(real.v2, &id), 0);
	assert_true(id == st.st_ino);
	assert_true(cgroup_id("/nowhere", &id) < 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cgroup_v1_and_v2_mounts_are_found_in_a_mount_table),
		cmocka_unit_test(each_cgroup_name_is_either_found_or_rejected),
		cmocka_unit_test(each_container_is_found_by_the_first_digits_of_its_id),
		cmocka_unit_test(a_cgroup_also_contains_the_pids_in_its_child_cgroups),
		cmocka_unit_test(ids_in_a_set_are_sorted_and_stored_once),
		cmocka_unit_test(the_id_of_a_real_cgroup_is_its_inode_number),
	};
	int status;

	make_groups();
	status = CHECK_RUN(tests);
	nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return status;
}
