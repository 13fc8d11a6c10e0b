/* SPDX-License-Identifier: BSD-2-Clause */

#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../loader/process/proc_text.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define ID2 "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"

#define STAT_TAIL(flags, start)                                                                    \
	" S 42 1 1 0 -1 " flags " 10 0 1 0 5 6 0 0 20 0 1 0 " start                                \
	" 8192 100 184467 4194304 27 28 29 30 31 32 33 34 0 36 37 -1 39 0 0 0 43 44 45 46 47 48 "  \
	"49 50 140737488347112 0\n"

static void proc_pid_stat_is_parsed_correctly_for_any_process_name(void **state)
{
	static const struct {
		const char *text, *comm;
	} rows[] = {
		{ "812 (node)" STAT_TAIL("4194304", "98765"), "node" },
		{ "812 (a) S 1 (b)" STAT_TAIL("4194304", "98765"), "a) S 1 (b" },
		{ "812 ()" STAT_TAIL("4194304", "98765"), "" },
		{ "812 (a\nb )" STAT_TAIL("4194304", "98765"), "a\nb " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct proc_stat s;

		assert_int_equal(parse_proc_stat(rows[i].text, strlen(rows[i].text), &s), 0);
		assert_string_equal(s.comm, rows[i].comm);
		assert_int_equal(s.state, 'S');
		assert_int_equal(s.ppid, 42);
		assert_int_equal(s.start_ticks, 98765);
		assert_int_equal(s.code_addr, 4194304);
		assert_int_equal(s.env_end, 140737488347112);
		assert_false(s.is_kernel_thread);
	}
}

static void a_kernel_thread_is_recognized_by_the_flag_pf_kthread(void **state)
{
	const char *text = "2 (kthreadd)" STAT_TAIL("2129984", "3"); /* 0x208040 */
	struct proc_stat s;

	(void)state;
	assert_int_equal(parse_proc_stat(text, strlen(text), &s), 0);
	assert_true(s.is_kernel_thread);
}

static void a_truncated_stat_line_is_rejected(void **state)
{
	const char *text = "812 (node)" STAT_TAIL("4194304", "98765");
	size_t whole = strlen(text) - strlen("0\n");

	(void)state;
	for (size_t len = 0; len < strlen(text); len++) {
		char *cut = malloc(len + 1);
		struct proc_stat s;

		memcpy(cut, text, len);
		assert_int_equal(parse_proc_stat(cut, len, &s), len < whole ? -EBADMSG : 0);
		free(cut);
	}
}

static void the_innermost_pid_is_the_last_pid_in_the_nspid_line(void **state)
{
	const char *one = "Name:\tx\nPid:\t9\nNSpid:\t9\nNSpgid:\t9\n";
	const char *deep = "Name:\tNSpid:\nNSpid:\t31337\t88\t7\nNSpgid:\t1\n";
	u32 pid;

	(void)state;
	assert_int_equal(parse_proc_nspid(one, strlen(one), &pid), 0);
	assert_int_equal(pid, 9);
	assert_int_equal(parse_proc_nspid(deep, strlen(deep), &pid), 0);
	assert_int_equal(pid, 7);
	for (size_t len = 0; len < (size_t)(strstr(deep, "\nNSpgid") + 1 - deep); len++)
		assert_int_equal(parse_proc_nspid(deep, len, &pid), -EBADMSG);
}

static void the_fsuid_is_the_last_uid_in_the_uid_line(void **state)
{
	const char *text = "Name:\tUid:\nUid:\t1000\t0\t0\t65534\nGid:\t1\n";
	u32 uid = 7;

	(void)state;
	assert_int_equal(parse_proc_fsuid(text, strlen(text), &uid), 0);
	assert_int_equal(uid, 65534);
	for (size_t len = 0; len < (size_t)(strstr(text, "\nGid") + 1 - text); len++)
		assert_int_equal(parse_proc_fsuid(text, len, &uid), -EBADMSG);
	assert_int_equal(parse_proc_fsuid("\nUid:\n", 6, &uid), -EBADMSG);
}

static void container_ids_are_found_in_cgroup_paths_of_all_managers(void **state)
{
	static const struct {
		const char *path, *id;
	} rows[] = {
		{ "/docker/" ID, ID },
		{ "/system.slice/docker-" ID ".scope", ID },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1_2.slice/"
		  "cri-containerd-" ID ".scope",
		  ID },
		{ "/kubepods/besteffort/pod0a1b2c3d-0000/" ID, ID },
		{ "/kubepods.slice/kubepods-pod1.slice/crio-" ID ".scope", ID },
		{ "/machine.slice/libpod-" ID ".scope/container", ID },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		  ID },
		{ "/../../docker-" ID ".scope", ID },
		{ "/docker/" ID "/docker/" ID2, ID2 },
		{ "/machine.slice/libpod-conmon-" ID ".scope", NULL },
		{ "/crio-conmon-" ID ".scope", NULL },
		{ "/docker/" ID "0", NULL },
		{ "/x" ID ".scope", NULL },
		{ "/docker/0123", NULL },
		{ "/docker/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef",
		  NULL },
		{ "/", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char id[CONTAINER_ID_LEN + 1];

		assert_int_equal(container_id_of(rows[i].path, strlen(rows[i].path), id),
				 rows[i].id != NULL);
		if (rows[i].id)
			assert_string_equal(id, rows[i].id);
	}
}

static void the_most_specific_of_several_container_cgroups_is_used(void **state)
{
	static const struct {
		const char *text, *path;
	} rows[] = {
		{ "0::/user.slice/session-1.scope\n", "/user.slice/session-1.scope" },
		{ "4:memory:/docker/" ID "\n1:cpu:/\n0::/\n", "/docker/" ID },
		{ "9:name=systemd:/a:b\n0::/c\n", "/c" },
		{ "3:cpu,cpuacct:/only\n", "/only" },
		{ "0::/no newline", "/no newline" },
		{ "10::/x\n0::/y\n", "/y" },
	};
	const char *path;
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse_proc_cgroup(rows[i].text, strlen(rows[i].text), &path, &len),
				 0);
		assert_int_equal(len, strlen(rows[i].path));
		assert_memory_equal(path, rows[i].path, len);
	}
	assert_int_equal(parse_proc_cgroup("", 0, &path, &len), -ENOENT);
	assert_int_equal(parse_proc_cgroup("a\n:\n::\n", 7, &path, &len), -ENOENT);
}

static void the_cgroup_path_is_read_within_bounds_if_the_file_is_truncated(void **state)
{
	const char *text = "4:memory:/docker/" ID "\n0::/x\n";

	(void)state;
	for (size_t n = 0; n <= strlen(text); n++) {
		char *cut = malloc(n + 1);
		const char *path;
		size_t len;

		memcpy(cut, text, n);
		if (!parse_proc_cgroup(cut, n, &path, &len))
			assert_true(path >= cut && path + len <= cut + n && len);
		free(cut);
	}
}

#define CMD(...) .cmdline = __VA_ARGS__ "\0", .len = sizeof(__VA_ARGS__ "\0") - 1
#define NODE "/usr/bin/node"
#define PYTHON "/usr/bin/python3.11"

static void a_process_is_named_after_its_script_or_program(void **state)
{
	static const struct {
		const char *cmdline;
		size_t len;
		const char *exe, *name;
	} rows[] = {
		{ CMD("node\0/srv/app/server.js\0--port\0"
		      "80"),
		  NODE, "server.js" },
		{ CMD("node\0server.js"), NODE, "server.js" },
		{ CMD("dotnet\0exec\0/srv/App.dll\0x.dll"), "/usr/bin/dotnet", "App.dll" },
		{ CMD("dotnet\0build"), "/usr/bin/dotnet", "dotnet" },
		{ CMD("/usr/bin/env-node\0x"), "/usr/bin/other", "env-node" },
		{ CMD("node\0-r\0dotenv/config\0app.mjs"), NODE, "app.mjs" },
		{ CMD("node\0--require\0./a.js\0--import=./b.js\0app.js"), NODE, "app.js" },
		{ CMD("node\0--cpu_prof_dir\0/tmp\0app.js"), NODE, "app.js" },
		{ CMD("node\0--max-old-space-size=4096\0--no-opt\0app.js"), NODE, "app.js" },
		{ CMD("node\0--inspect\0app.js"), NODE, "app.js" },
		{ CMD("node\0--inspect-port\0"
		      "9000\0app.js"),
		  NODE, "app.js" },
		{ CMD("node\0-e\0"
		      "1+1\0app.js"),
		  NODE, "[eval]" },
		{ CMD("node\0--eval=1"), NODE, "[eval]" },
		{ CMD("node\0--no-warnings\0-pe\0"
		      "1"),
		  NODE, "[eval]" },
		{ CMD("node\0-"), NODE, "[stdin]" },
		{ CMD("node\0--\0-weird.js\0x"), NODE, "-weird.js" },
		{ CMD("node"), NODE, "node" },
		{ CMD("node\0--require"), NODE, "node" },
		{ CMD("node\0--"), NODE, "node" },
		{ CMD("node\0"), NODE, "node" },
		{ CMD("/opt/node/bin/node\0./dir/"), NODE, "./dir/" },
		{ CMD("nodejs\0/usr/local/bin/tsc\0-w"), "/usr/bin/nodejs", "tsc" },
		{ CMD("npm run build"), NODE, "npm run build" },
		{ CMD("npm run build\0\0\0\0"), NODE, "npm run build" },
		{ CMD("-bash"), "/usr/bin/bash", "bash" },
		{ CMD("python3\0/srv/work.py\0x.py"), PYTHON, "work.py" },
		{ CMD("python3\0-Eu\0-X\0perf\0-Wignore\0work.py"), PYTHON, "work.py" },
		{ CMD("python3\0-m\0http.server\0"
		      "8000"),
		  PYTHON, "http.server" },
		{ CMD("python3\0-umpytest"), PYTHON, "pytest" },
		{ CMD("python3\0--check-hash-based-pycs\0always\0work.py"), PYTHON, "work.py" },
		{ CMD("python3\0-c\0print()\0work.py"), PYTHON, "python3" },
		{ CMD("python3\0-"), PYTHON, "python3" },
		{ CMD("python3\0-X"), PYTHON, "python3" },
		{ CMD("python3-config\0work.py"), "/usr/bin/python3-config", "python3-config" },
		{ CMD("/usr/sbin/nginx\0-g\0daemon off;"), "/usr/sbin/nginx", "nginx" },
		{ CMD("-"), "/bin/x", "-" },
		{ "", 0, "/usr/bin/true", "true" },
		{ "", 0, NULL, "" },
		{ "not terminated", 14, "/usr/bin/postgres", "postgres" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[64];

		proc_display_name(rows[i].cmdline, rows[i].len, rows[i].exe, name, sizeof(name));
		assert_string_equal(name, rows[i].name);
	}
}

static void a_long_process_name_is_cut_to_the_size_of_the_buffer(void **state)
{
	char cmdline[300], name[64];

	(void)state;
	memset(cmdline, 'x', sizeof(cmdline));
	cmdline[sizeof(cmdline) - 1] = '\0';
	proc_display_name(cmdline, sizeof(cmdline), "/usr/bin/node", name, sizeof(name));
	assert_int_equal(strlen(name), sizeof(name) - 1);
}

static void a_truncated_command_line_is_read_within_bounds(void **state)
{
	static const char text[] = "node\0--require\0./a.js\0-C\0dev\0app.js";

	(void)state;
	for (size_t len = 0; len <= sizeof(text); len++) {
		char *cut = malloc(len + 1), name[8];

		memcpy(cut, text, len);
		if (len)
			cut[len - 1] = '\0';
		proc_display_name(cut, len, "/usr/bin/node", name, sizeof(name));
		assert_true(strlen(name) < sizeof(name));
		free(cut);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(proc_pid_stat_is_parsed_correctly_for_any_process_name),
	cmocka_unit_test(a_kernel_thread_is_recognized_by_the_flag_pf_kthread),
	cmocka_unit_test(a_truncated_stat_line_is_rejected),
	cmocka_unit_test(the_innermost_pid_is_the_last_pid_in_the_nspid_line),
	cmocka_unit_test(the_fsuid_is_the_last_uid_in_the_uid_line),
	cmocka_unit_test(container_ids_are_found_in_cgroup_paths_of_all_managers),
	cmocka_unit_test(the_most_specific_of_several_container_cgroups_is_used),
	cmocka_unit_test(the_cgroup_path_is_read_within_bounds_if_the_file_is_truncated),
	cmocka_unit_test(a_process_is_named_after_its_script_or_program),
	cmocka_unit_test(a_long_process_name_is_cut_to_the_size_of_the_buffer),
	cmocka_unit_test(a_truncated_command_line_is_read_within_bounds),
};

int main(void)
{
	return CHECK_RUN(tests);
}
