// SPDX-License-Identifier: BSD-2-Clause

/* Tests the user to which a root process started by sudo changes. */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/process/caller.h"
#include "../check.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct result {
	int status;
	uid_t uid, saved_uid;
	gid_t gid, saved_gid;
	int n_groups;
	gid_t group;
};

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* Runs in a child process, because the change can't be undone. */
static struct result become(const char *uid, const char *gid)
{
	struct result r = { 0 };
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		uid_t u;
		gid_t g;

		set("SUDO_UID", uid);
		set("SUDO_GID", gid);
		r.status = caller_become();
		getresuid(&r.uid, &u, &r.saved_uid);
		getresgid(&r.gid, &g, &r.saved_gid);
		r.n_groups = getgroups(1, &r.group);
		_exit(write(ends[1], &r, sizeof(r)) != sizeof(r));
	}
	assert_int_equal(read(ends[0], &r, sizeof(r)), sizeof(r));
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	return r;
}

static void root_privileges_are_dropped_permanently_if_sudo_was_used(void **state)
{
	struct result r = become("54321", "54322"); /* IDs of no user, so no groups are added */

	(void)state;
	if (geteuid())
		return;
	assert_int_equal(r.status, 0);
	assert_true(r.uid == 54321 && r.saved_uid == 54321);
	assert_true(r.gid == 54322 && r.saved_gid == 54322);
	assert_true(r.n_groups == 1 && r.group == 54322);
}

static void privileges_are_not_changed_if_the_sudo_user_is_invalid(void **state)
{
	static const char *const rows[][2] = {
		{ NULL, NULL },
		{ "1000", NULL },
		{ NULL, "1000" },
		{ "", "1000" },
		{ "1000", "" },
		{ "0", "0" },
		{ "1000x", "1000" },
		{ "1000", "x" },
		{ "4294967295", "1000" },
		{ "1000", "4294967295" },
		{ "99999999999999999999", "1000" },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct result r = become(rows[i][0], rows[i][1]);

		assert_int_equal(r.status, 0);
		assert_true(r.uid == getuid() && r.gid == getgid());
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(root_privileges_are_dropped_permanently_if_sudo_was_used),
		cmocka_unit_test(privileges_are_not_changed_if_the_sudo_user_is_invalid),
	};

	return CHECK_RUN(tests);
}
