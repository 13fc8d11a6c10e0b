// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests which rights the process that reads debug information has after it has dropped most rights.
 */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/symbols/helper.h"
#include "../../loader/symbols/helper_rights.h"
#include "../check.h"

struct result {
	uid_t uid, saved_uid;
	gid_t gid, saved_gid;
	int n_groups, n_open, no_new_privs, death_signal;
	u32 effective, permitted, inheritable, more;
	struct rlimit data, core;
	bool takes_sigterm, can_be_root, can_write_as_root;
};

static bool is_ignored(int signal)
{
	struct sigaction old;

	return !sigaction(signal, NULL, &old) && old.sa_handler == SIG_IGN;
}

static struct result look(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = {};
	struct result r = { .takes_sigterm = !is_ignored(SIGTERM) };
	uid_t uid;
	gid_t gid;

	getresuid(&uid, &r.uid, &r.saved_uid);
	getresgid(&gid, &r.gid, &r.saved_gid);
	r.n_groups = getgroups(0, NULL);
	for (int fd = 0; fd < 1024; fd++)
		r.n_open += fcntl(fd, F_GETFD) >= 0;
	r.no_new_privs = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0);
	prctl(PR_GET_PDEATHSIG, &r.death_signal);
	syscall(SYS_capget, &header, caps);
	r.effective = caps[0].effective;
	r.permitted = caps[0].permitted;
	r.inheritable = caps[0].inheritable;
	r.more = caps[1].effective | caps[1].permitted;
	getrlimit(RLIMIT_DATA, &r.data);
	getrlimit(RLIMIT_CORE, &r.core);
	r.can_be_root = setuid(0) == 0;
	r.can_write_as_root = open("/proc/sys/kernel/hostname", O_WRONLY | O_CLOEXEC) >= 0;
	return r;
}

/* Returns the state of a child that has dropped its rights. */
static struct result give_up(void)
{
	struct result r = { 0 };
	int pair[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_true(open("/", O_RDONLY) >= 0); /* an additional descriptor, which must be closed */
	pid = fork();
	if (!pid) {
		setgroups(2, (gid_t[]){ 1, 2 }); /* supplementary groups, which only root can set */
		helper_give_up_rights(pair[1]);
		r = look();
		_exit(write(pair[1], &r, sizeof(r)) != sizeof(r));
	}
	assert_int_equal(read(pair[0], &r, sizeof(r)), sizeof(r));
	waitpid(pid, NULL, 0);
	return r;
}

static void the_symbol_helper_has_only_one_descriptor_and_limited_memory(void **state)
{
	struct result r = give_up();

	(void)state;
	assert_int_equal(r.n_open, 1);
	assert_true(r.data.rlim_cur == HELPER_MEMORY && r.data.rlim_max == HELPER_MEMORY);
	assert_true(r.core.rlim_cur == 0 && r.core.rlim_max == 0);
}

static void the_symbol_helper_ignores_sigterm_and_dies_with_the_recorder(void **state)
{
	struct result r = give_up();

	(void)state;
	assert_int_equal(r.death_signal, SIGKILL);
	assert_false(r.takes_sigterm);
}

static void a_symbol_helper_started_by_root_keeps_only_cap_dac_read_search(void **state)
{
	struct result r = give_up();
	u32 may = r.permitted & ~(1u << CAP_DAC_READ_SEARCH);

	(void)state;
	assert_int_equal(r.no_new_privs, 1);
	if (geteuid())
		return;
	assert_true(r.uid >= 0xffe00000u && r.uid <= 0xffefffffu && r.saved_uid == r.uid);
	assert_true(r.gid == r.uid && r.saved_gid == r.uid);
	assert_int_equal(r.n_groups, 0);
	assert_int_equal(may, 0);
	assert_int_equal(r.effective, r.permitted);
	assert_true(!r.inheritable && !r.more);
	assert_false(r.can_be_root);
	assert_false(r.can_write_as_root);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_symbol_helper_has_only_one_descriptor_and_limited_memory),
		cmocka_unit_test(the_symbol_helper_ignores_sigterm_and_dies_with_the_recorder),
		cmocka_unit_test(a_symbol_helper_started_by_root_keeps_only_cap_dac_read_search),
	};

	return CHECK_RUN(tests);
}
