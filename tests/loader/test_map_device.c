// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests for which file systems another process must first try to read, and the cache of the
 * results.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../../loader/process/map_device.h"
#include "../../loader/process/maps.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void only_network_and_fuse_file_systems_are_treated_as_possibly_hanging(void **state)
{
	static const struct {
		const char *type;
		bool may_hang;
	} rows[] = {
		{ "fuse", true },     { "fuseblk", true }, { "fuse.sshfs", true },
		{ "nfs", true },      { "nfs4", true },	   { "cifs", true },
		{ "9p", true },	      { "ext4", false },   { "tmpfs", false },
		{ "overlay", false }, { "fuse.", false },  { "fusectl", false },
		{ "nfsd", false },    { "nf", false },	   { "", false },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		assert_int_equal(map_device_may_hang(rows[i].type, strlen(rows[i].type)),
				 rows[i].may_hang);
	assert_true(map_device_may_hang("nfs rw", 3)); /* may lead to another file system */
	assert_false(map_device_may_hang("nfs4", 2));
}

static int take_own(const struct maps_entry *e, void *data)
{
	struct map_file *m = data;

	if (!e->inode || e->path_len >= 512 || e->path[0] != '/')
		return 0;
	maps_path_unescape(e->path, e->path_len, (char *)m->path);
	m->start_addr = e->start_addr;
	m->end_addr = e->end_addr;
	m->inode = e->inode;
	m->dev_major = e->dev_major;
	m->dev_minor = e->dev_minor;
	return 1;
}

static void a_file_on_a_disk_is_opened_without_the_help_of_another_process(void **state)
{
	char path[512];
	struct map_file m = { .pid = (u32)getpid(), .path = path, .may_change = true };
	struct map_devices devices = { 0 };

	(void)state;
	assert_int_equal(maps_each_exec(m.pid, take_own, &m), 1);
	for (u32 i = 0; i < 3; i++) {
		int fd = -1;

		assert_int_equal(map_device_open(&devices, &m, &fd), 0);
		assert_true(fd >= 0);
		close(fd);
		assert_int_equal(devices.n, 1); /* looked up once */
	}
	devices.v[0].hangs = true;
	assert_int_equal(map_device_open(&devices, &m, &(int){ -1 }), -ETIMEDOUT);
	m.inode++;
	devices.v[0].hangs = false;
	assert_true(map_device_open(&devices, &m, &(int){ -1 }) < 0);
}

static void no_file_system_is_accessed_for_a_mapping_without_a_file(void **state)
{
	struct map_file m = { .pid = (u32)getpid(), .path = "[heap]", .inode = 1 };
	struct map_devices devices = { 0 };

	(void)state;
	assert_int_equal(map_device_open(&devices, &m, &(int){ -1 }), -ENOENT);
	m.path = "/bin/sh";
	m.inode = 0;
	assert_int_equal(map_device_open(&devices, &m, &(int){ -1 }), -ENOENT);
	assert_int_equal(devices.n, 0);
}

/* The type of a file system without a mount is unknown, so another process tries it first. */
static void the_oldest_file_system_is_forgotten_if_there_are_more_than_the_limit(void **state)
{
	struct map_file m = { .pid = (u32)getpid(), .path = "/nowhere", .inode = 1 };
	struct map_devices devices = { 0 };

	(void)state;
	for (u32 i = 0; i <= MAP_DEVICES_MAX; i++) {
		m.dev_major = 4000;
		m.dev_minor = i;
		assert_true(map_device_open(&devices, &m, &(int){ -1 }) < 0);
	}
	assert_int_equal(devices.n, MAP_DEVICES_MAX + 1);
	assert_int_equal(devices.v[0].minor, MAP_DEVICES_MAX);
	assert_int_equal(devices.v[1].minor, 1);
	assert_true(devices.v[1].may_hang);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			only_network_and_fuse_file_systems_are_treated_as_possibly_hanging),
		cmocka_unit_test(a_file_on_a_disk_is_opened_without_the_help_of_another_process),
		cmocka_unit_test(no_file_system_is_accessed_for_a_mapping_without_a_file),
		cmocka_unit_test(
			the_oldest_file_system_is_forgotten_if_there_are_more_than_the_limit),
	};

	return CHECK_RUN(tests);
}
