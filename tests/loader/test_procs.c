// SPDX-License-Identifier: BSD-2-Clause

/* Tests the recognition of processes, threads and names, with this test and its child processes. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "../../loader/targets/procs.h"
#include "child.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void a_process_matches_a_name_that_equals_or_is_part_of_its_names(void **state)
{
	static const struct {
		const char *name, *exe, *script, *package, *wanted;
		enum proc_match match;
	} rows[] = {
		{ "server.js", "node", "srv/server.js", NULL, "server.js", PROC_MATCH_WHOLE },
		{ "server.js", "node", "srv/server.js", NULL, "node", PROC_MATCH_WHOLE },
		{ "server.js", "node", "srv/server.js", NULL, "srv/server.js", PROC_MATCH_WHOLE },
		{ "server.js", "node", "srv/server.js", "shop", "shop", PROC_MATCH_WHOLE },
		{ "server.js", "node", "srv/server.js", "@my/shop", "shop", PROC_MATCH_PART },
		{ "server.js", "node", "srv/server.js", NULL, "server", PROC_MATCH_PART },
		{ "server.js", "node", "srv/server.js", NULL, "srv", PROC_MATCH_PART },
		{ "server.js", "node", "srv/server.js", NULL, "nod", PROC_MATCH_PART },
		{ "server.js", "node", "srv/server.js", NULL, "client", PROC_MATCH_NONE },
		{ "app.dll", "dotnet", "app.dll", NULL, "app", PROC_MATCH_WHOLE },
		{ "app.dll", "dotnet", "app.dll", NULL, "app.dll", PROC_MATCH_WHOLE },
		{ "app.dll", "dotnet", "app.dll", NULL, "ap", PROC_MATCH_PART },
		{ "app.dll.bak", "dotnet", "", NULL, "app", PROC_MATCH_PART },
		{ "", "", "", NULL, "", PROC_MATCH_NONE },
		{ "server.js", "node", "server.js", "shop", "", PROC_MATCH_NONE },
		{ "", "", "", NULL, "x", PROC_MATCH_NONE },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct proc_names names = { 0 };

		strcpy(names.name, rows[i].name);
		strcpy(names.exe, rows[i].exe);
		strcpy(names.script, rows[i].script);
		assert_int_equal(proc_names_match(&names, rows[i].package, rows[i].wanted),
				 rows[i].match);
	}
}

static int thread_id;
static int go[2];

static void *be_a_thread(void *data)
{
	char c;

	(void)data;
	__atomic_store_n(&thread_id, (int)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	return read(go[0], &c, 1) == 1 ? NULL : &go;
}

static void the_process_that_a_thread_belongs_to_is_found(void **state)
{
	int leader = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pthread_create(&thread, NULL, be_a_thread, NULL), 0);
	while (!__atomic_load_n(&thread_id, __ATOMIC_SEQ_CST))
		usleep(1000);
	assert_int_equal(proc_kind_of(thread_id, &leader), PROC_IS_THREAD);
	assert_int_equal(leader, getpid());
	assert_int_equal(proc_kind_of(getpid(), &leader), PROC_IS_PROCESS);
	assert_int_equal(leader, getpid());
	assert_int_equal(write(go[1], "x", 1), 1);
	pthread_join(thread, NULL);
}

static void a_process_that_ended_is_a_zombie_until_it_is_reaped(void **state)
{
	pid_t pid = fork();
	siginfo_t info;
	int leader;

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(proc_kind_of(pid, &leader), PROC_IS_ZOMBIE);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(proc_kind_of(pid, &leader), PROC_GONE);
}

/* The kernel escapes a newline in a name, so a name can't forge a line with a state or pid. */
static void a_process_name_cannot_forge_a_line_of_proc_status(void **state)
{
	char old[16];
	int leader;

	(void)state;
	prctl(PR_GET_NAME, old);
	prctl(PR_SET_NAME, "x\nState:\tZ");
	assert_int_equal(proc_kind_of(getpid(), &leader), PROC_IS_PROCESS);
	prctl(PR_SET_NAME, "x\nTgid:\t1");
	assert_int_equal(proc_kind_of(getpid(), &leader), PROC_IS_PROCESS);
	assert_int_equal(leader, getpid());
	prctl(PR_SET_NAME, old);
}

static void the_name_and_the_executable_of_a_process_are_read(void **state)
{
	pid_t pid = child_start((char *[]){ "/bin/sleep", "1000", NULL });
	struct proc_names names;

	(void)state;
	assert_int_equal(proc_names_read(pid, &names), 0);
	assert_true(names.exe[0] && names.name[0]);
	assert_false(names.is_kernel);
	assert_false(proc_is_32_bit(pid));
	child_stop(pid);
	assert_true(proc_names_read(pid, &names) < 0);
	assert_int_equal(proc_names_read(2, &names), 0);
	assert_true(names.is_kernel || getppid() == 0 || names.exe[0]); /* 2: in a container */
}

static void the_busiest_process_comes_first_and_the_caller_is_omitted(void **state)
{
	pid_t busy = fork(), idle;
	struct ids pids = { 0 };
	struct proc_load *loads;
	u64 wall_ns;
	size_t n;

	(void)state;
	if (!busy)
		for (volatile u64 i = 0;; i++)
			;
	idle = child_start((char *[]){ "/bin/sleep", "1000", NULL });
	assert_int_equal(ids_add(&pids, idle), 0);
	assert_int_equal(ids_add(&pids, busy), 0);
	assert_int_equal(ids_add(&pids, getpid()), 0);
	assert_int_equal(procs_measure(&pids, &loads, &n, &wall_ns), 0);
	child_stop(busy);
	child_stop(idle);
	assert_int_equal(n, 2);
	assert_true(loads[0].cpu_ns >= loads[1].cpu_ns); /* on a busy machine both loads can be 0 */
	assert_int_equal(loads[0].pid + loads[1].pid, busy + idle);
	assert_true(wall_ns >= 300000000);
	free(loads);
	ids_deinit(&pids);
}

static void duplicate_ids_in_a_set_are_stored_once(void **state)
{
	struct ids ids = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(ids_add(&ids, i * 7 % 500), 0);
	assert_int_equal(ids.n, 500);
	for (int i = -1; i <= 500; i++)
		assert_int_equal(ids_has(&ids, i), i >= 0 && i < 500);
	ids_deinit(&ids);
	assert_false(ids_has(&ids, 1));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_matches_a_name_that_equals_or_is_part_of_its_names),
		cmocka_unit_test(the_process_that_a_thread_belongs_to_is_found),
		cmocka_unit_test(a_process_that_ended_is_a_zombie_until_it_is_reaped),
		cmocka_unit_test(a_process_name_cannot_forge_a_line_of_proc_status),
		cmocka_unit_test(the_name_and_the_executable_of_a_process_are_read),
		cmocka_unit_test(the_busiest_process_comes_first_and_the_caller_is_omitted),
		cmocka_unit_test(duplicate_ids_in_a_set_are_stored_once),
	};

	return CHECK_RUN(tests);
}
