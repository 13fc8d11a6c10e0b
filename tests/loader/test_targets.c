/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the selection of live processes by the command line: the test starts copies of sleep(1) and
 * sh(1) under unique names, selects some, and checks pids, exit status and stderr.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pthread.h>

#include "../../loader/targets/procs.h"
#include "../../loader/targets/target_set.h"
#include "child.h"

#define MAX_WORDS 8
#define TEXT_LEN 8192

static char dir[] = "/tmp/test-targets-XXXXXX";
static char twin[64], single[64], dotnet[64]; /* executables; each has a unique name */

static void copy_file(const char *from, const char *to)
{
	char command[256];

	snprintf(command, sizeof(command), "cp %s %s", from, to);
	assert_int_equal(system(command), 0);
}

static pid_t start_sleep(char *path)
{
	return child_start((char *[]){ path, "1000", NULL });
}

/* Resolves a command line to targets. @text receives stderr. */
static int resolve(char *const *words, struct target_set *t, char *text)
{
	char *argv[MAX_WORDS + 2] = { "unspool record" };
	int argc = 1, saved = dup(2), status;
	FILE *captured = tmpfile();
	struct record_options o;
	struct cli_parse p;
	size_t len;

	assert_non_null(captured);
	for (; words[argc - 1]; argc++)
		argv[argc] = words[argc - 1];
	assert_int_equal(record_options_parse(argc, argv, &o, &p), 0);
	fflush(stderr);
	dup2(fileno(captured), 2);
	status = target_set_resolve(&o, t);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	rewind(captured);
	len = fread(text, 1, TEXT_LEN - 1, captured);
	text[len] = '\0';
	fclose(captured);
	record_options_deinit(&o);
	return status;
}

static size_t n_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static bool lists(const char *text, pid_t pid)
{
	char line[64];

	snprintf(line, sizeof(line), "\n  unspool record -p %d  ", pid);
	return strstr(text, line);
}

static bool lists_load(const char *text, pid_t pid)
{
	char line[32];

	snprintf(line, sizeof(line), "\n%8d  ", pid);
	return strstr(text, line);
}

#define RESOLVE(t, text, ...) resolve((char *[]){ __VA_ARGS__, NULL }, t, text)

static void a_unique_name_selects_a_process_and_an_ambiguous_name_is_an_error(void **state)
{
	pid_t a = start_sleep(twin), b;
	char text[TEXT_LEN], *name = strrchr(twin, '/') + 1;
	struct target_set t;

	(void)state;
	assert_int_equal(RESOLVE(&t, text, "-p", name), CLI_OK);
	assert_int_equal(t.mode, TARGET_PIDS);
	assert_int_equal(t.ids.n, 1);
	assert_int_equal(t.ids.v[0], a);
	assert_string_equal(text, "");
	target_set_deinit(&t);

	b = start_sleep(twin);
	assert_int_equal(RESOLVE(&t, text, "-p", name), CLI_USAGE);
	assert_non_null(strstr(text, "2 applications match; choose one:"));
	assert_int_equal(n_lines(text), 3);
	assert_true(lists(text, a) && lists(text, b));
	assert_false(lists(text, getpid()));
	target_set_deinit(&t);
	child_stop(a);
	child_stop(b);

	assert_int_equal(RESOLVE(&t, text, "-p", name), CLI_USAGE);
	assert_non_null(strstr(text, "no process has this name"));
	assert_int_equal(n_lines(text), 1);
	target_set_deinit(&t);
}

static void a_process_is_found_by_its_assembly_name_with_or_without_the_suffix(void **state)
{
	pid_t pid = child_start(
		(char *[]){ dotnet, "-c", "while :; do :; done", "/srv/Shop.dll", NULL });
	char *const names[] = { "Shop", "Shop.dll", "dotnet" };
	char text[TEXT_LEN];
	struct proc_names n;
	struct target_set t;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(RESOLVE(&t, text, "-p", names[i]), CLI_OK);
		assert_int_equal(t.ids.n, 1);
		assert_int_equal(t.ids.v[0], pid);
		target_set_deinit(&t);
	}
	assert_int_equal(proc_names_read(pid, &n), 0);
	assert_string_equal(n.name, "Shop.dll");
	assert_string_equal(n.script, "/srv/Shop.dll");
	assert_int_equal(proc_names_match(&n, NULL, names[2]), PROC_MATCH_WHOLE);
	assert_int_equal(proc_names_match(&n, NULL, "Sho"), PROC_MATCH_PART);
	child_stop(pid);
}

static void option_p_can_be_used_with_pids_and_names_together(void **state)
{
	pid_t a = start_sleep(twin), b = start_sleep(single);
	char text[TEXT_LEN], id[16];
	struct target_set t;

	(void)state;
	snprintf(id, sizeof(id), "%d", a);
	assert_int_equal(RESOLVE(&t, text, "-p", id, "-p", strrchr(single, '/') + 1), CLI_OK);
	assert_int_equal(t.ids.n, 2);
	assert_true(ids_has(&t.ids, a) && ids_has(&t.ids, b));
	target_set_deinit(&t);
	child_stop(a);
	child_stop(b);
}

static void a_pid_without_a_process_is_a_usage_error(void **state)
{
	pid_t pid = start_sleep(single);
	char text[TEXT_LEN], id[16];
	struct target_set t;

	(void)state;
	snprintf(id, sizeof(id), "%d", pid);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_int_equal(RESOLVE(&t, text, "-p", id), CLI_USAGE);
	assert_non_null(strstr(text, "has ended"));
	target_set_deinit(&t);
	waitpid(pid, NULL, 0);
	assert_int_equal(RESOLVE(&t, text, "-p", id), CLI_USAGE);
	assert_non_null(strstr(text, "there is no such process"));
	assert_int_equal(n_lines(text), 1);
	target_set_deinit(&t);
	assert_int_equal(RESOLVE(&t, text, "-t", id), CLI_USAGE);
	assert_non_null(strstr(text, "there is no such thread"));
	target_set_deinit(&t);
}

static int thread_tid;
static pthread_barrier_t barrier;

static void *idle(void *data)
{
	thread_tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return data;
}

static void a_thread_id_is_accepted_by_option_t_but_not_by_option_p(void **state)
{
	char text[TEXT_LEN], id[16], leader[32];
	struct target_set t;
	pthread_t thread;

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, idle, NULL), 0);
	pthread_barrier_wait(&barrier);
	snprintf(id, sizeof(id), "%d", thread_tid);
	snprintf(leader, sizeof(leader), "thread of process %d;", getpid());
	assert_int_equal(RESOLVE(&t, text, "-t", id), CLI_OK);
	assert_int_equal(t.mode, TARGET_TIDS);
	assert_int_equal(t.ids.v[0], thread_tid);
	target_set_deinit(&t);
	assert_int_equal(RESOLVE(&t, text, "-p", id), CLI_USAGE);
	assert_non_null(strstr(text, leader));
	target_set_deinit(&t);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void the_busiest_processes_are_listed_if_no_target_is_specified(void **state)
{
	pid_t busy = child_start((char *[]){ dotnet, "-c", "while :; do :; done", NULL });
	char text[TEXT_LEN];
	struct target_set t;

	(void)state;
	assert_int_equal(resolve((char *[]){ NULL }, &t, text), CLI_USAGE);
	target_set_deinit(&t);
	child_stop(busy);
	assert_int_equal(strncmp(text, "usage: unspool record ", 22), 0);
	assert_true(n_lines(text) > 2 && n_lines(text) <= 7);
	assert_true(lists_load(text, busy));
	assert_false(lists_load(text, getpid()));
}

static void a_command_or_option_a_is_sufficient_as_the_only_target(void **state)
{
	char text[TEXT_LEN];
	struct target_set t;

	(void)state;
	assert_int_equal(RESOLVE(&t, text, "true"), CLI_OK);
	assert_int_equal(t.mode, TARGET_COMMAND);
	assert_int_equal(t.ids.n, 0);
	assert_int_equal(RESOLVE(&t, text, "-a", "true"), CLI_OK);
	assert_int_equal(t.mode, TARGET_ALL);
	assert_int_equal(t.cgroup_fd, -1);
}

static void unknown_cgroups_and_containers_are_usage_errors(void **state)
{
	char text[TEXT_LEN];
	struct target_set t;

	(void)state;
	assert_int_equal(RESOLVE(&t, text, "--cgroup", "no/such/group"), CLI_USAGE);
	assert_non_null(strstr(text, "there is no such control group"));
	assert_int_equal(n_lines(text), 1);
	target_set_deinit(&t);
	assert_int_equal(RESOLVE(&t, text, "--cgroup", dir), CLI_USAGE);
	assert_non_null(strstr(text, "no control group"));
	target_set_deinit(&t);
	assert_int_equal(RESOLVE(&t, text, "--container", "0123456789abcdef"), CLI_USAGE);
	assert_non_null(strstr(text, "no running container"));
	assert_int_equal(n_lines(text), 1);
	target_set_deinit(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unique_name_selects_a_process_and_an_ambiguous_name_is_an_error),
		cmocka_unit_test(
			a_process_is_found_by_its_assembly_name_with_or_without_the_suffix),
		cmocka_unit_test(option_p_can_be_used_with_pids_and_names_together),
		cmocka_unit_test(a_pid_without_a_process_is_a_usage_error),
		cmocka_unit_test(a_thread_id_is_accepted_by_option_t_but_not_by_option_p),
		cmocka_unit_test(the_busiest_processes_are_listed_if_no_target_is_specified),
		cmocka_unit_test(a_command_or_option_a_is_sufficient_as_the_only_target),
		cmocka_unit_test(unknown_cgroups_and_containers_are_usage_errors),
	};
	char clean_up[64];
	int status;

	assert_non_null(mkdtemp(dir));
	snprintf(twin, sizeof(twin), "%s/twin-%d", dir, getpid());
	snprintf(single, sizeof(single), "%s/single-%d", dir, getpid());
	snprintf(dotnet, sizeof(dotnet), "%s/dotnet", dir);
	copy_file("/bin/sleep", twin);
	copy_file("/bin/sleep", single);
	copy_file("/bin/sh", dotnet);
	status = CHECK_RUN(tests);
	snprintf(clean_up, sizeof(clean_up), "rm -r %s", dir);
	return system(clean_up) ? 1 : status;
}
