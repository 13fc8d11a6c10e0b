/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests COMMAND, which waits until the recording is ready and then runs as env(1) would run it. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../loader/targets/command.h"
#include "../check.h"

#define NOBODY "65534"

static char *const args_exit_7[] = { "sh", "-c", "exit 7", NULL };
static char *const args_killed[] = { "sh", "-c", "kill -9 $$", NULL };
static char *const args_true[] = { "true", NULL };
static char *const args_missing[] = { "there-is-no-such-program", NULL };
static char *const args_no_dir[] = { "/nowhere/at/all", NULL };
static char *const args_directory[] = { "/", NULL };
static char *const args_plain_file[] = { "/etc/passwd", NULL };
static char *const args_empty[] = { "", NULL };

static const struct row {
	char *const *argv;
	int go, status;
} rows[] = {
	{ args_true, 0, 0 },
	{ args_exit_7, 0, 7 },
	{ args_killed, 0, 128 + SIGKILL },
	{ args_missing, -ENOENT, 127 },
	{ args_no_dir, -ENOENT, 127 },
	{ args_empty, -ENOENT, 127 },
	{ args_directory, -EACCES, 126 },
	{ args_plain_file, -EACCES, 126 },
};

static void the_exit_status_of_a_command_equals_the_status_that_env_returns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct command c = COMMAND_NONE;
		int status = -1, go;

		assert_int_equal(command_start(rows[i].argv, false, &c), 0);
		assert_true(c.pid > 0);
		go = command_go(&c);
		if (!go)
			assert_int_equal(command_wait(&c, &status), 0);
		else
			status = command_exit_status(go);
		if (go != rows[i].go || status != rows[i].status)
			fail_msg("row %zu: %d, status %d", i, go, status);
		command_deinit(&c);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	}
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static void the_command_has_the_reported_pid_and_starts_when_command_go_is_called(void **state)
{
	char marker[] = "/tmp/test-command-XXXXXX", script[128], text[32] = "";
	int fd = mkstemp(marker), status;
	struct command c;

	(void)state;
	assert_true(fd >= 0);
	unlink(marker);
	snprintf(script, sizeof(script), "echo $$ > %s", marker);
	assert_int_equal(command_start((char *[]){ "sh", "-c", script, NULL }, false, &c), 0);
	usleep(50000);
	assert_false(exists(marker));
	assert_int_equal(kill(c.pid, 0), 0);
	pid_t pid = c.pid;
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(command_wait(&c, &status), 0);
	close(fd);
	fd = open(marker, O_RDONLY);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	assert_int_equal(atoi(text), pid);
	close(fd);
	unlink(marker);
}

static void the_command_never_runs_if_the_recorder_ends_first(void **state)
{
	char marker[] = "/tmp/test-command-XXXXXX";
	int fd = mkstemp(marker);
	struct command c;
	pid_t pid;

	(void)state;
	close(fd);
	unlink(marker);
	assert_int_equal(command_start((char *[]){ "touch", marker, NULL }, false, &c), 0);
	pid = c.pid;
	command_deinit(&c);
	assert_false(exists(marker));
	assert_int_equal(kill(pid, 0), -1);
}

static void command_go_returns_an_error_if_the_command_has_died(void **state)
{
	struct command c;

	(void)state;
	assert_int_equal(command_start(args_true, false, &c), 0);
	kill(c.pid, SIGKILL);
	usleep(50000);
	assert_int_equal(command_go(&c), -ECHILD);
	assert_int_equal(command_wait(&c, &(int){ 0 }), -ECHILD);
	command_deinit(&c);
}

static void the_command_inherits_no_descriptor_that_is_used_to_start_it(void **state)
{
	char *argv[] = { "sh", "-c", "test ! -e /proc/self/fd/$0 && test ! -e /proc/self/fd/$1",
			 NULL, NULL, NULL };
	char ours[16], theirs[16];
	struct command c;
	int status = -1;

	(void)state;
	argv[3] = ours;
	argv[4] = theirs;
	snprintf(theirs, sizeof(theirs), "%d", dup(0)); /* the lowest free descriptor */
	close(atoi(theirs));
	snprintf(ours, sizeof(ours), "%d", atoi(theirs) + 1);
	assert_int_equal(command_start(argv, false, &c), 0);
	assert_int_equal(c.fd, atoi(theirs));
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(command_wait(&c, &status), 0);
	assert_int_equal(status, 0);
	command_deinit(&c);
}

/*
 * Runs the shell test @condition as COMMAND. Return: the exit status of
 * COMMAND.
 */
static int run_condition(char *condition)
{
	struct command c;
	int status = -1;

	assert_int_equal(command_start((char *[]){ "sh", "-c", condition, NULL }, false, &c), 0);
	assert_int_equal(command_go(&c), 0);
	assert_int_equal(command_wait(&c, &status), 0);
	command_deinit(&c);
	return status;
}

static void under_sudo_the_command_runs_as_the_user_who_called_sudo(void **state)
{
	static const struct {
		const char *uid, *gid;
		char *condition;
	} sudo_rows[] = {
		{ NOBODY, NOBODY, "test $(id -u):$(id -g):$(id -G) = 65534:65534:65534" },
		{ NOBODY, NOBODY, "test $HOME = $(getent passwd 65534 | cut -d: -f6)" },
		{ NOBODY, NOBODY, "test $USER.$LOGNAME = nobody.nobody" },
		{ NOBODY, NOBODY,
		  "test \"$(grep Cap[EP] /proc/self/status | tr -d 'a-zA-Z:\\t\\n0')\" = ''" },
		{ "54321", "54321", "test $(id -u):$(id -G):$HOME = 54321:54321:/kept" },
		{ "0", "0", "test $(id -u) = 0" },
		{ "", "", "test $(id -u) = 0" },
		{ "12x", "1", "test $(id -u) = 0" },
		{ "-1", "-1", "test $(id -u) = 0" },
		{ "4294967295", "1", "test $(id -u) = 0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(sudo_rows) / sizeof(sudo_rows[0]); i++) {
		setenv("SUDO_UID", sudo_rows[i].uid, 1);
		setenv("SUDO_GID", sudo_rows[i].gid, 1);
		setenv("HOME", "/kept", 1);
		if (run_condition(sudo_rows[i].condition))
			fail_msg("row %zu: %s", i, sudo_rows[i].condition);
	}
	assert_int_not_equal(run_condition("test $(id -u) = 1"), 0); /* negative control */
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_exit_status_of_a_command_equals_the_status_that_env_returns),
		cmocka_unit_test(
			the_command_has_the_reported_pid_and_starts_when_command_go_is_called),
		cmocka_unit_test(the_command_never_runs_if_the_recorder_ends_first),
		cmocka_unit_test(command_go_returns_an_error_if_the_command_has_died),
		cmocka_unit_test(the_command_inherits_no_descriptor_that_is_used_to_start_it),
		cmocka_unit_test(under_sudo_the_command_runs_as_the_user_who_called_sudo),
	};
	size_t n = sizeof(tests) / sizeof(tests[0]);

	setenv("PATH", "/usr/bin:/bin", 1); /* an unsearchable folder in PATH gives EACCES */
	/* Only the last test needs root; the others run without it. */
	return check_run(__FILE_NAME__, tests, geteuid() ? n - 1 : n);
}
