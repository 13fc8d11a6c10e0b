// SPDX-License-Identifier: BSD-2-Clause

/*
 * test_plugin_process MISBEHAVE: runs a program that can misbehave in many ways, and checks
 * that it leaves nothing behind.
 */

#include "../../inspect/util/cleanup.h"
#include "../../sim/plugin/janitor.h"
#include "../../sim/plugin/process.h"
#include "../check.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define MS 1000000ull
#define LONG (10000 * MS)

static const char *misbehave;

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000 + (u64)t.tv_nsec / 1000000;
}

static void nap_ms(u32 ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

/* Runs the program until it ends or is killed. */
static void run(struct plugin_process *p, const char *how, u64 timeout_ns)
{
	assert_int_equal(plugin_process_init(p), 0);
	assert_int_equal(plugin_process_start(p, misbehave, how, timeout_ns), 0);
	assert_ptr_equal(plugin_process_wait(p, 1, true), p);
	assert_int_equal(p->pid, 0);
	assert_null(plugin_process_wait(p, 1, true));
}

struct row {
	const char *how;
	u64 timeout_ns;
	const char *out; /* the expected first bytes of the output */
	const char *why;
};

static const struct row rows[] = {
	{ "answers", LONG, "{\"frames\":[]}\n", "" },
	{ "is-silent", LONG, "", "" },
	{ "reads-stdin", LONG, "", "" },
	{ "leaves-session", LONG, "{\"frames\":[]}\n", "" },
	{ "fails", LONG, "", "the program ended with exit status 3: \\x1b[31mno\\tsuch register" },
	{ "unknown", LONG, "", "the program ended with exit status 9" },
	{ "crashes", LONG, "", "the program died of signal 11 (Segmentation fault)" },
	{ "floods", LONG, "y\ny\n", "the program printed more than 1048576 bytes" },
	{ "complains", 300 * MS, "", "the program was still running after 0.3 s" },
	{ "sleeps", 200 * MS, "", "the program was still running after 0.2 s" },
	{ "stops", 200 * MS, "", "the program was still running after 0.2 s" },
	{ "ignores-signals", 200 * MS, "", "the program was still running after 0.2 s" },
	{ "closes-stdout", 200 * MS, "", "the program was still running after 0.2 s" },
};

static void the_way_in_which_a_plugin_ends_is_reported(void **state)
{
	struct plugin_process p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];
		u64 start = now_ms();

		run(&p, r->how, r->timeout_ns);
		if (strcmp(p.why, r->why) != 0)
			fail_msg("%s: \"%s\", expected \"%s\"", r->how, p.why, r->why);
		if (p.out_len < strlen(r->out) || memcmp(p.out, r->out, strlen(r->out)) != 0 ||
		    (!r->out[0] && p.out_len))
			fail_msg("%s: printed %zu bytes", r->how, p.out_len);
		if (r->timeout_ns == LONG && now_ms() - start > LONG / MS / 2)
			fail_msg("%s: was waited for", r->how);
		plugin_process_deinit(&p);
	}
}

static void a_plugin_inherits_only_stdin_stdout_and_stderr(void **state)
{
	int leaky = dup(2); /* without O_CLOEXEC */
	struct plugin_process p;

	(void)state;
	run(&p, "shows-fds", LONG);
	p.out[p.out_len] = 0;
	assert_string_equal(p.why, "");
	/* descriptor 3 is the folder that ls reads, or a file that bash opened */
	assert_non_null(strstr(p.out, "/proc/self/fd/2"));
	assert_null(strstr(p.out, "/proc/self/fd/4"));
	assert_true(leaky > 2);
	close(leaky);
	plugin_process_deinit(&p);
}

static void the_children_of_a_plugin_die_when_the_plugin_dies(void **state)
{
	char folder[] = "/tmp/unspool-plugin-XXXXXX";
	_cleanup_free_ char *script = NULL, *marker = NULL;
	struct plugin_process p;
	FILE *f;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_true(asprintf(&script, "%s/leaver", folder) > 0);
	assert_true(asprintf(&marker, "%s/marker", folder) > 0);
	f = fopen(script, "we");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\nexec %s leaves-child \"$1\"\n", misbehave);
	fchmod(fileno(f), 0700);
	fclose(f);
	assert_int_equal(plugin_process_init(&p), 0);
	assert_int_equal(plugin_process_start(&p, script, marker, LONG), 0);
	assert_ptr_equal(plugin_process_wait(&p, 1, true), &p);
	assert_string_equal(p.why, "");
	nap_ms(1000);
	assert_int_equal(access(marker, F_OK), -1);
	plugin_process_deinit(&p);
	unlink(script);
	assert_int_equal(rmdir(folder), 0);
}

static void a_plugin_that_cannot_start_is_an_error(void **state)
{
	struct plugin_process p;

	(void)state;
	assert_int_equal(plugin_process_init(&p), 0);
	assert_int_equal(plugin_process_start(&p, "/nowhere/x", "", LONG), -ENOENT);
	assert_int_equal(plugin_process_start(&p, "/etc/passwd", "", LONG), -EACCES);
	assert_int_equal(p.pid, 0);
	plugin_process_deinit(&p);
}

static void the_plugin_that_ends_first_is_reported_first(void **state)
{
	struct plugin_process p[2];

	(void)state;
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(plugin_process_init(&p[i]), 0);
	assert_int_equal(plugin_process_start(&p[0], misbehave, "sleeps", 600 * MS), 0);
	assert_null(plugin_process_wait(p, 2, false));
	assert_int_equal(plugin_process_start(&p[1], misbehave, "answers", LONG), 0);
	assert_ptr_equal(plugin_process_wait(p, 2, true), &p[1]);
	assert_ptr_equal(plugin_process_wait(p, 2, true), &p[0]);
	assert_string_equal(p[0].why, "the program was still running after 0.6 s");
	for (u32 i = 0; i < 2; i++)
		plugin_process_deinit(&p[i]);
}

static void fill(const char *folder)
{
	_cleanup_free_ char *below = NULL, *file = NULL, *link = NULL;

	assert_true(asprintf(&below, "%s/below", folder) > 0);
	assert_true(asprintf(&file, "%s/0.core", below) > 0);
	assert_true(asprintf(&link, "%s/link", below) > 0);
	assert_int_equal(mkdir(below, 0700), 0);
	fclose(fopen(file, "we"));
	assert_int_equal(symlink("/etc/passwd", link), 0);
}

static void the_temporary_folder_of_plugins_is_private_and_is_removed_at_the_end(void **state)
{
	struct janitor j;
	struct stat st;
	char folder[PATH_MAX];

	(void)state;
	assert_int_equal(janitor_open(&j), 0);
	memcpy(folder, j.folder, sizeof(folder));
	assert_int_equal(stat(folder, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	fill(folder);
	assert_int_equal(janitor_close(&j), 0);
	assert_int_equal(stat(folder, &st), -1);
	assert_int_equal(stat("/etc/passwd", &st), 0);
	assert_int_equal(janitor_close(&j), 0);
}

/*
 * Runs in a child process: starts a process that never ends, sends both pids, and waits to be
 * killed.
 */
static _Noreturn void be_killed(int to)
{
	struct plugin_process p;
	struct janitor j;

	if (janitor_open(&j) || plugin_process_init(&p) ||
	    plugin_process_start(&p, misbehave, "sleeps", LONG))
		_exit(1);
	fill(j.folder);
	janitor_note(&j, 1, p.pid);
	if (write(to, j.folder, sizeof(j.folder)) < 0 || write(to, &p.pid, sizeof(p.pid)) < 0)
		_exit(1);
	raise(SIGKILL);
	_exit(1);
}

/*
 * Return: whether the process is alive and not a zombie. A zombie may never be reaped if
 *         there is no init process.
 */
static bool is_alive(pid_t pid)
{
	char path[64], text[512];
	_cleanup_fclose_ FILE *f = NULL;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	n = f ? fread(text, 1, sizeof(text) - 1, f) : 0;
	text[n] = 0;
	return n && !strstr(text, ") Z ");
}

static void a_killed_simulator_leaves_no_folder_and_no_process(void **state)
{
	char folder[PATH_MAX];
	struct stat st;
	int fds[2], status;
	u32 n_naps = 0;
	pid_t pid, child;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	child = fork();
	if (!child)
		be_killed(fds[1]);
	close(fds[1]);
	assert_int_equal(read(fds[0], folder, sizeof(folder)), sizeof(folder));
	assert_int_equal(read(fds[0], &pid, sizeof(pid)), sizeof(pid));
	close(fds[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	while ((!stat(folder, &st) || is_alive(pid)) && n_naps++ < 500)
		nap_ms(10);
	assert_int_equal(stat(folder, &st), -1);
	assert_false(is_alive(pid));
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_way_in_which_a_plugin_ends_is_reported),
		cmocka_unit_test(a_plugin_inherits_only_stdin_stdout_and_stderr),
		cmocka_unit_test(the_children_of_a_plugin_die_when_the_plugin_dies),
		cmocka_unit_test(a_plugin_that_cannot_start_is_an_error),
		cmocka_unit_test(the_plugin_that_ends_first_is_reported_first),
		cmocka_unit_test(
			the_temporary_folder_of_plugins_is_private_and_is_removed_at_the_end),
		cmocka_unit_test(a_killed_simulator_leaves_no_folder_and_no_process),
	};

	if (argc != 2) {
		fprintf(stderr, "test_plugin_process: missing argument; give the path of the "
				"program 'misbehave'\n");
		return 2;
	}
	misbehave = argv[1];
	return CHECK_RUN(tests);
}
