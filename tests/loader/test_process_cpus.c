// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests which datagrams are understood as a CPU that came online. A socket of the test
 * replaces the kernel's.
 */

#include "../check.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../loader/process/cpus.h"

static int ends[2];

static void open_ends(void)
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends), 0);
}

static void close_ends(void)
{
	close(ends[0]);
	close(ends[1]);
}

static void say(const char *text)
{
	assert_int_equal(send(ends[1], text, strlen(text) + 1, 0), strlen(text) + 1);
}

static void cpus_that_come_online_are_reported(void **state)
{
	u32 cpu = 99;

	(void)state;
	open_ends();
	say("online@/devices/system/cpu/cpu7");
	say("online@/devices/system/cpu/cpu0");
	assert_int_equal(cpus_next(ends[0], &cpu), 1);
	assert_int_equal(cpu, 7);
	assert_int_equal(cpus_next(ends[0], &cpu), 1);
	assert_int_equal(cpu, 0);
	assert_int_equal(cpus_next(ends[0], &cpu), 0);
	assert_int_equal(cpu, 0);
	assert_int_equal(cpus_next(-1, &cpu), 0);
	close_ends();
}

static void messages_that_do_not_announce_an_online_cpu_are_ignored(void **state)
{
	static const char *const others[] = {
		"offline@/devices/system/cpu/cpu7", "online@/devices/system/cpu/cpu7/cache",
		"online@/devices/system/cpu/cpu",   "online@/devices/system/memory/memory7",
		"add@/devices/system/cpu/cpu7",	    "",
	};
	u32 cpu = 99;

	(void)state;
	open_ends();
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		say(others[i]);
		assert_int_equal(cpus_next(ends[0], &cpu), 0);
		assert_int_equal(cpu, 99);
	}
	close_ends();
}

/* A Unix sender's address overlaps netlink's port number, which is then not 0 like the kernel's. */
static void only_messages_sent_by_the_kernel_are_accepted(void **state)
{
	struct sockaddr_un own = { .sun_family = AF_UNIX };
	u32 cpu = 99;

	(void)state;
	open_ends();
	snprintf(own.sun_path + 1, sizeof(own.sun_path) - 1, "unspool-cpus-%d", (int)getpid());
	assert_int_equal(bind(ends[1], (struct sockaddr *)&own, sizeof(own)), 0);
	say("online@/devices/system/cpu/cpu7");
	assert_int_equal(cpus_next(ends[0], &cpu), 0);
	assert_int_equal(cpu, 99);
	close_ends();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_that_come_online_are_reported),
		cmocka_unit_test(messages_that_do_not_announce_an_online_cpu_are_ignored),
		cmocka_unit_test(only_messages_sent_by_the_kernel_are_accepted),
	};

	return CHECK_RUN(tests);
}
