// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the list of processes that are suggested as targets, and the format of its lines.
 * The processes are invented.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/targets/runtime.h"
#include "../../loader/targets/target_list.h"
#include "../check.h"

#define SECOND 1000000000ull

enum { NODE = 10, KERNEL = 11, GONE = 12, HOSTILE = 13, QUICK = 14 };

static const struct proc_load busy[] = {
	{ KERNEL, SECOND },	  { NODE, SECOND / 2 }, { GONE, SECOND / 4 },
	{ HOSTILE, SECOND / 10 }, { QUICK, 0 },
};
static int measured; /* result of the fake measurement */

int procs_list(struct ids *pids)
{
	for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++)
		assert_int_equal(ids_add(pids, busy[i].pid), 0);
	return 0;
}

int procs_measure(const struct ids *pids, struct proc_load **loads, size_t *n, u64 *wall_ns)
{
	assert_int_equal(pids->n, sizeof(busy) / sizeof(busy[0]));
	if (measured)
		return measured;
	*loads = malloc(sizeof(busy));
	assert_non_null(*loads);
	memcpy(*loads, busy, sizeof(busy));
	*n = pids->n;
	*wall_ns = SECOND;
	return 0;
}

int proc_names_read(int pid, struct proc_names *names)
{
	*names = (struct proc_names){ .is_kernel = pid == KERNEL };
	snprintf(names->name, sizeof(names->name), "%s",
		 pid == HOSTILE ? "a\x1b[2Jb\nc" : "server.js");
	return pid == QUICK ? -ESRCH : 0;
}

int runtime_cache_new(struct runtime_cache **cache)
{
	*cache = NULL;
	return 0;
}

void runtime_cache_free(struct runtime_cache **cache)
{
	assert_null(*cache);
}

int runtime_detect(struct runtime_cache *cache, int pid, struct runtime_info *info)
{
	(void)cache;
	*info = (struct runtime_info){ .name = "Node.js 24.21.0" };
	return pid == GONE ? -ESRCH : 0;
}

static const char *listed(int (*list)(FILE *out, size_t n), size_t n, int expected)
{
	static char text[4096];
	FILE *out = tmpfile();
	size_t len;

	assert_non_null(out);
	assert_int_equal(list(out, n), expected);
	rewind(out);
	len = fread(text, 1, sizeof(text) - 1, out);
	text[len] = 0;
	fclose(out);
	return text;
}

static int list_applications(FILE *out, size_t n)
{
	struct application v[] = { { { 0 } }, { { 0 } }, { { 0 } }, { { 0 } } };
	struct applications found = { v, n };
	static const int pids[] = { NODE, GONE, HOSTILE, QUICK };
	int err;

	for (size_t i = 0; i < n; i++)
		assert_int_equal(ids_add(&v[i].pids, pids[i]), 0);
	assert_int_equal(ids_add(&v[0].pids, 20), 0);
	err = target_list_applications(out, &found);
	for (size_t i = 0; i < n; i++)
		ids_deinit(&v[i].pids);
	return err;
}

static void the_busiest_processes_are_listed_with_their_share_of_cpu_time(void **state)
{
	(void)state;
	assert_string_equal(listed(target_list_busiest, 1, 0),
			    "      10    50 %  Node.js 24.21.0   server.js\n");
}

static void a_process_that_is_not_listed_does_not_count_towards_the_limit(void **state)
{
	const char *text = listed(target_list_busiest, 2, 0);

	(void)state;
	assert_non_null(strstr(text, "\n      13    10 %  "));
	assert_null(strstr(text, " 11 "));
	assert_null(strstr(text, " 12 "));
	assert_string_equal(listed(target_list_busiest, 0, 0), "");
}

static void control_characters_in_a_name_do_not_reach_the_terminal(void **state)
{
	const char *text = listed(target_list_busiest, 99, 0);
	u32 n_lines = 0;

	(void)state;
	assert_null(strchr(text, '\x1b'));
	for (const char *c = text; *c; c++)
		n_lines += *c == '\n';
	assert_int_equal(n_lines, 2);
}

static void applications_are_listed_with_the_command_that_records_them(void **state)
{
	const char *text = listed(list_applications, 4, 0);
	const char *first = "  unspool record -p 10,20    Node.js 24.21.0  server.js\n";

	(void)state;
	assert_ptr_equal(strstr(text, first), text);
	assert_non_null(strstr(text, "\n  unspool record -p 13  "));
	assert_null(strstr(text, " 12 "));
	assert_null(strstr(text, " 14 "));
}

static void an_error_while_measuring_cpu_time_is_returned(void **state)
{
	(void)state;
	measured = -EMFILE;
	assert_string_equal(listed(target_list_busiest, 9, -EMFILE), "");
	measured = 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_busiest_processes_are_listed_with_their_share_of_cpu_time),
		cmocka_unit_test(a_process_that_is_not_listed_does_not_count_towards_the_limit),
		cmocka_unit_test(control_characters_in_a_name_do_not_reach_the_terminal),
		cmocka_unit_test(applications_are_listed_with_the_command_that_records_them),
		cmocka_unit_test(an_error_while_measuring_cpu_time_is_returned),
	};

	return CHECK_RUN(tests);
}
