// SPDX-License-Identifier: BSD-2-Clause

/*
 * The templates' bytes against the code of live Node.js processes: every piece that
 * stands for V8's code must occur, but for its holes, in the builtin or compiled
 * function that it was taken from. Arguments: hot.js. UNSPOOL_NODE_DIR has
 * VERSION/bin/node.
 */

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/util/cleanup.h"
#include "../../sim/fixture/templates.h"
#include "../check.h"

#define CODE_MAX 4096
#define LOG_NAME "v8.log"

/* A piece and what it is a part of: a builtin, or the tier mark of a compiled function. */
static const struct origin {
	const char *piece, *from;
} origins[] = {
	{ "entry.save", "JSEntry" },
	{ "entry.enter", "JSEntry" },
	{ "entry.unlink", "JSEntry" },
	{ "entry.leave", "JSEntry" },
	{ "trampoline.enter", "JSEntryTrampoline" },
	{ "marker.leave", "JSEntryTrampoline" },
	{ "marker.leave", "SortCompareUserFn" },
	{ "stub.enter", "SortCompareUserFn" },
	{ "construct.enter", "JSConstructStubGeneric" },
	{ "construct.leave", "JSConstructStubGeneric" },
	{ "exit.enter", "CEntry_Return1_ArgvOnStack_NoBuiltinExit" },
	{ "exit.leave", "CEntry_Return1_ArgvOnStack_NoBuiltinExit" },
	{ "exit.enter", "CEntry_Return1_ArgvOnStack_BuiltinExit" },
	{ "exit.leave", "CEntry_Return1_ArgvOnStack_BuiltinExit" },
	{ "adaptor.enter", "AdaptorWithBuiltinExitFrame" },
	{ "interpreted.frame", "InterpreterEntryTrampoline" },
	{ "interpreted.fill", "InterpreterEntryTrampoline" },
	{ "interpreted.dispatch", "InterpreterEntryTrampoline" },
	{ "interpreted.resume", "InterpreterEntryTrampoline" },
	{ "interpreted.leave", "InterpreterEntryTrampoline" },
	{ "handler.save", "CallProperty0Handler" },
	{ "baseline_prologue", "BaselineOutOfLinePrologue" },
	{ "baseline_budget", "BaselineLeaveFrame" },
	{ "baseline_epilogue", "BaselineLeaveFrame" },
	{ "baseline.enter", "^callee" },
	{ "baseline.leave", "^callee" },
	{ "optimized.check", "*callee" },
	{ "optimized.enter", "*callee" },
	{ "optimized.limit", "*callee" },
	{ "optimized.leave", "*callee" },
};
#define N_ORIGINS (sizeof(origins) / sizeof(origins[0]))

struct node {
	u32 major;
	pid_t pid;
	int mem;
	u64 addrs[N_ORIGINS]; /* of the code with the piece */
};

static struct node nodes[4];
static u32 n_nodes;
static char script[PATH_MAX];
static char scratch[] = "/tmp/templates-XXXXXX"; /* Node.js logs into its directory */

static int wait_until_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char text[64];

	return poll(&p, 1, 120000) == 1 && read(fd, text, sizeof(text)) > 0 &&
			       !strncmp(text, "ready", 5)
		       ? 0
		       : -1;
}

static int start(struct node *n, const char *binary)
{
	char path[64];
	int out[2], err;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	n->pid = fork();
	if (!n->pid) {
		dup2(out[1], STDOUT_FILENO);
		if (!chdir(scratch))
			execl(binary, binary, "--perf-basic-prof", "--no-logfile-per-isolate",
			      "--logfile=" LOG_NAME, "--no-maglev", script, NULL);
		_exit(127);
	}
	close(out[1]);
	err = n->pid < 0 ? -1 : wait_until_ready(out[0]);
	close(out[0]);
	snprintf(path, sizeof(path), "/proc/%d/mem", n->pid);
	n->mem = open(path, O_RDONLY | O_CLOEXEC);
	return err || n->mem < 0 ? -1 : 0;
}

static void end(struct node *n)
{
	char path[64];

	if (n->pid > 0) {
		kill(n->pid, SIGKILL);
		waitpid(n->pid, NULL, 0);
		snprintf(path, sizeof(path), "/tmp/perf-%d.map", n->pid);
		unlink(path);
	}
	if (n->mem >= 0)
		close(n->mem);
}

/* Builtins: the executable is loaded where it was linked to, and has the original. */
static int take_builtin(const struct elf_symbol *s, void *data)
{
	static const char prefix[] = "Builtins_", adaptor[] = "AdaptorWithBuiltinExitFrame";
	const char *name = s->name + sizeof(prefix) - 1;
	struct node *n = data;

	if (strncmp(s->name, prefix, sizeof(prefix) - 1))
		return 0;
	if (!strncmp(name, adaptor, sizeof(adaptor) - 1)) /* 24: ...Frame0 and so on */
		name = adaptor;
	for (u32 i = 0; i < N_ORIGINS; i++)
		if (!strcmp(origins[i].from, name))
			n->addrs[i] = s->addr;
	return 0;
}

/* "7ff0ea003d80 f8 JS:*'callee FILE:2:16" */
static int take_compiled(struct node *n)
{
	char path[64], line[1024], name[64], mark;
	_cleanup_fclose_ FILE *map = NULL;
	u64 addr;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", n->pid);
	map = fopen(path, "re");
	while (map && fgets(line, sizeof(line), map)) {
		if (sscanf(line, "%llx %*x JS:%c%*[']%63s", &addr, &mark, name) != 3 &&
		    sscanf(line, "%llx %*x JS:%c%63s", &addr, &mark, name) != 3)
			continue;
		for (u32 i = 0; i < N_ORIGINS; i++)
			if (origins[i].from[0] == mark && !strcmp(origins[i].from + 1, name))
				n->addrs[i] = addr;
	}
	return map ? 0 : -1;
}

static bool has_all(const struct node *n)
{
	for (u32 i = 0; i < N_ORIGINS; i++)
		if (!n->addrs[i])
			return false;
	return true;
}

/* Compilation is concurrent, and the map is written with a delay. */
static int wait_for_compiled(struct node *n)
{
	int err = take_compiled(n);

	for (u32 tries = 0; tries < 300 && !err && !has_all(n); tries++) {
		usleep(100000);
		err = take_compiled(n);
	}
	return err;
}

static int add_node(const char *binary, u32 major)
{
	struct node *n = &nodes[n_nodes++];
	struct elf_file *elf = NULL;
	int err;

	n->major = major;
	n->mem = -1;
	err = start(n, binary);
	if (!err)
		err = elf_file_open(&elf, binary);
	if (!err)
		err = elf_file_each_symbol(elf, take_builtin, n);
	elf_file_free(&elf);
	return err ? err : wait_for_compiled(n);
}

static bool occurs(const u8 *code, size_t len, const u8 *piece, const u8 *mask, u32 piece_len)
{
	for (size_t at = 0; at + piece_len <= len; at++) {
		u32 i = 0;

		while (i < piece_len && !((code[at + i] ^ piece[i]) & mask[i]))
			i++;
		if (i == piece_len)
			return true;
	}
	return false;
}

struct look {
	u8 code[CODE_MAX], mask[512], bytes[512];
	size_t len;
	const struct sim_piece *piece;
};

static void look_at(const struct node *n, u32 origin, struct look *l)
{
	const struct sim_templates *t = sim_templates_get("x86_64");
	ssize_t len;

	l->piece = sim_templates_find(t, origins[origin].piece, n->major);
	assert_non_null(l->piece);
	if (!n->addrs[origin])
		fail_msg("Node.js %u has no %s", n->major, origins[origin].from);
	len = pread(n->mem, l->code, CODE_MAX, (off_t)n->addrs[origin]);
	assert_true(len > 0);
	l->len = (size_t)len;
	assert_true(l->piece->len <= sizeof(l->mask));
	memcpy(l->bytes, l->piece->bytes, l->piece->len);
	sim_piece_mask(l->piece, l->mask);
}

static void piece_is_in_live_code(void **state)
{
	u32 origin = (u32)(uintptr_t)*state;
	struct look l;

	for (u32 i = 0; i < n_nodes; i++) {
		look_at(&nodes[i], origin, &l);
		if (!occurs(l.code, l.len, l.bytes, l.mask, l.piece->len))
			fail_msg("Node.js %u: \"%s\" is not in %s", nodes[i].major, l.piece->name,
				 origins[origin].from);
	}
}

/* The comparison above sees every byte of a long piece, and none of a hole. */
static void changed_byte_of_a_piece_is_seen(void **state)
{
	struct look l;
	u32 n_compared = 0;

	(void)state;
	look_at(&nodes[0], 1, &l);
	for (u32 i = 0; i < l.piece->len; i++) {
		l.bytes[i] ^= 0x10;
		assert_int_equal(occurs(l.code, l.len, l.bytes, l.mask, l.piece->len), !l.mask[i]);
		l.bytes[i] ^= 0x10;
		n_compared += l.mask[i] != 0;
	}
	assert_true(n_compared > 40);
}

static struct CMUnitTest tests[N_ORIGINS + 1];
static char names[N_ORIGINS][128];

static int run(void)
{
	for (u32 i = 0; i < N_ORIGINS; i++) {
		snprintf(names[i], sizeof(names[i]), "%s is in live %s", origins[i].piece,
			 origins[i].from);
		tests[i] = (struct CMUnitTest){ .name = names[i],
						.test_func = piece_is_in_live_code,
						.initial_state = (void *)(uintptr_t)i };
	}
	tests[N_ORIGINS] = (struct CMUnitTest)cmocka_unit_test(changed_byte_of_a_piece_is_seen);
	return check_run("templates", tests, N_ORIGINS + 1);
}

int main(int argc, char **argv)
{
	static const u32 majors[] = { 20, 22, 24 };
	const char *dir = getenv("UNSPOOL_NODE_DIR");
	int err = 0, status;
	char pattern[4096];
	glob_t found;

	if (argc != 2 || !realpath(argv[1], script) || !mkdtemp(scratch))
		return 2;
	for (u32 i = 0; i < 3 && dir && !err; i++) {
		snprintf(pattern, sizeof(pattern), "%s/%u.*/bin/node", dir, majors[i]);
		if (!glob(pattern, 0, NULL, &found))
			err = add_node(found.gl_pathv[0], majors[i]);
		globfree(&found);
	}
	if (n_nodes < 3 && !err)
		status = check_cannot_run("needs Node.js 20, 22 and 24 in UNSPOOL_NODE_DIR");
	else
		status = err ? 1 : run();
	if (err)
		fprintf(stderr, "Node.js %u did not start\n", nodes[n_nodes - 1].major);
	for (u32 i = 0; i < n_nodes; i++)
		end(&nodes[i]);
	snprintf(pattern, sizeof(pattern), "%s/" LOG_NAME, scratch);
	unlink(pattern);
	rmdir(scratch);
	return status;
}
