// SPDX-License-Identifier: BSD-2-Clause

/*
 * Compares the templates' bytes with the code of live Node.js processes. Every piece that
 * stands for V8's code must occur, except for its holes, in the builtin or compiled function
 * from which it was copied. Arguments: hot.js. UNSPOOL_NODE_DIR has VERSION/bin/node.
 */

#include <errno.h>
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

/*
 * A piece of a template, the builtin or compiled function (with the mark of its tier) that
 * contains it, and the first version that has it.
 */
static const struct origin {
	const char *piece, *from;
	u32 since;
} origins[] = {
	{ "entry.save", "JSEntry" },
	{ "entry.enter", "JSEntry" },
	{ "entry.unlink", "JSEntry" },
	{ "entry.leave", "JSEntry" },
	{ "entry.save", "JSConstructEntry" },
	{ "entry.enter", "JSConstructEntry" },
	{ "entry.unlink", "JSConstructEntry" },
	{ "entry.leave", "JSConstructEntry" },
	{ "trampoline.enter", "JSConstructEntryTrampoline" },
	{ "marker.leave", "JSConstructEntryTrampoline" },
	{ "trampoline.enter", "JSEntryTrampoline" },
	{ "marker.leave", "JSEntryTrampoline" },
	{ "marker.leave", "SortCompareUserFn" },
	{ "stub.enter", "SortCompareUserFn" },
	{ "construct.enter", "JSConstructStubGeneric" },
	{ "construct.leave", "JSConstructStubGeneric" },
	{ "construct_builtin.enter", "JSBuiltinsConstructStub" },
	{ "construct.leave", "JSBuiltinsConstructStub" },
	{ "fast_construct.enter", "InterpreterPushArgsThenFastConstructFunction", 22 },
	{ "marker.leave", "InterpreterPushArgsThenFastConstructFunction", 22 },
	{ "exit.enter", "CEntry_Return1_ArgvOnStack_NoBuiltinExit" },
	{ "exit.leave", "CEntry_Return1_ArgvOnStack_NoBuiltinExit" },
	{ "exit.enter", "CEntry_Return1_ArgvOnStack_BuiltinExit" },
	{ "exit.leave", "CEntry_Return1_ArgvOnStack_BuiltinExit" },
	{ "adaptor.enter", "AdaptorWithBuiltinExitFrame" },
	{ "tail.any", "Call_ReceiverIsAny" },
	{ "tail.function", "CallFunction_ReceiverIsAny" },
	{ "interpreted.frame", "InterpreterEntryTrampoline" },
	{ "interpreted.fill", "InterpreterEntryTrampoline" },
	{ "interpreted.dispatch", "InterpreterEntryTrampoline" },
	{ "interpreted.resume", "InterpreterEntryTrampoline" },
	{ "interpreted.leave", "InterpreterEntryTrampoline" },
	{ "handler.save", "CallProperty0Handler" },
	{ "handler.frame", "JumpLoopHandler" },
	{ "baseline_prologue", "BaselineOutOfLinePrologue" },
	{ "baseline_budget", "BaselineLeaveFrame" },
	{ "baseline_epilogue", "BaselineLeaveFrame" },
	{ "baseline.enter", "^callee" },
	{ "baseline.leave", "^callee" },
	{ "optimized.check", "*callee" },
	{ "optimized.enter", "*callee" },
	{ "optimized.room", "*callee" },
	{ "optimized.limit", "*callee" },
	{ "optimized.leave", "*callee" },
	{ "js.deopt", "*callee" },
	{ "maglev.enter", "+callee", 24 },
	{ "maglev.room", "+callee", 24 },
	{ "maglev.limit", "+callee", 24 },
	{ "maglev.leave", "+callee", 24 },
	{ "js.deopt", "+callee", 24 },
};
#define N_ORIGINS (sizeof(origins) / sizeof(origins[0]))

/*
 * A process of a version. Two processes run a version that has Maglev, one with and one
 * without it, because with Maglev a function is soon optimized further.
 */
struct node {
	u32 major;
	bool is_maglev;
	pid_t pid;
	int mem;
	u64 addrs[N_ORIGINS]; /* address of the function that contains each piece */
	u64 lens[N_ORIGINS];
};

static struct node nodes[2 * 5];
static u32 n_nodes;
static char script[PATH_MAX];
static char scratch[] = "/tmp/templates-XXXXXX"; /* Node.js writes its log into this directory */

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
	const char *tier = n->is_maglev ? "--no-turbofan" : n->major > 20 ? "--no-maglev" : "--opt";
	int out[2], err;

	if (pipe2(out, O_CLOEXEC))
		return -1;
	n->pid = fork();
	if (!n->pid) {
		dup2(out[1], STDOUT_FILENO);
		if (!chdir(scratch))
			execl(binary, binary, "--perf-basic-prof", "--no-logfile-per-isolate",
			      "--logfile=" LOG_NAME, "--max-inlined-bytecode-size=0",
			      "--max-inlined-bytecode-size-small=0", tier, script, NULL);
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

/* Translates names that differ between versions: 18 has "DontSaveFPRegs", 24 has "...Frame0". */
static const char *name_of_today(const char *name)
{
	static const char *const names[][2] = {
		{ "AdaptorWithBuiltinExitFrame0", "AdaptorWithBuiltinExitFrame" },
		{ "CEntry_Return1_DontSaveFPRegs_ArgvOnStack_NoBuiltinExit",
		  "CEntry_Return1_ArgvOnStack_NoBuiltinExit" },
		{ "CEntry_Return1_DontSaveFPRegs_ArgvOnStack_BuiltinExit",
		  "CEntry_Return1_ArgvOnStack_BuiltinExit" },
	};

	for (u32 i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i][0]))
			return names[i][1];
	return name;
}

/* Stores a builtin. The executable is read at its link address and contains the original code. */
static int take_builtin(const struct elf_symbol *s, void *data)
{
	static const char prefix[] = "Builtins_";
	const char *name;
	struct node *n = data;

	if (strncmp(s->name, prefix, sizeof(prefix) - 1))
		return 0;
	name = name_of_today(s->name + sizeof(prefix) - 1);
	for (u32 i = 0; i < N_ORIGINS; i++)
		if (!strcmp(origins[i].from, name))
			n->addrs[i] = s->addr;
	return 0;
}

/* A builtin has no recorded length; it ends where the next one begins. */
static int end_builtins(const struct elf_symbol *s, void *data)
{
	struct node *n = data;

	for (u32 i = 0; i < N_ORIGINS && !strncmp(s->name, "Builtins_", 9); i++)
		if (n->addrs[i] && s->addr > n->addrs[i] &&
		    (!n->lens[i] || s->addr - n->addrs[i] < n->lens[i]))
			n->lens[i] = s->addr - n->addrs[i];
	return 0;
}

/*
 * A line is "7ff0ea003d80 f8 JS:*'callee FILE:2:16"; in 18 the name is "LazyCompile:*callee"
 * or "Function:^callee".
 */
static int take_compiled(struct node *n)
{
	char path[64], line[1024], name[64], kind[32], mark;
	_cleanup_fclose_ FILE *map = NULL;
	u64 addr, len;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", n->pid);
	map = fopen(path, "re");
	while (map && fgets(line, sizeof(line), map)) {
		if (sscanf(line, "%llx %llx %31[A-Za-z]:%c%*[']%63s", &addr, &len, kind, &mark,
			   name) != 5 &&
		    sscanf(line, "%llx %llx %31[A-Za-z]:%c%63s", &addr, &len, kind, &mark, name) !=
			    5)
			continue;
		for (u32 i = 0; i < N_ORIGINS; i++)
			if (origins[i].from[0] == mark && !strcmp(origins[i].from + 1, name))
				n->addrs[i] = addr, n->lens[i] = len;
	}
	return map ? 0 : -1;
}

/* Return: whether this process must contain the piece. */
static bool wants(const struct node *n, u32 origin)
{
	char mark = origins[origin].from[0];

	if (n->major < origins[origin].since)
		return false;
	return n->is_maglev ? mark == '+' : mark != '+';
}

static bool has_all(const struct node *n)
{
	for (u32 i = 0; i < N_ORIGINS; i++)
		if (wants(n, i) && !n->addrs[i])
			return false;
	return true;
}

/* Waits for compiled code, because V8 compiles concurrently and writes the map with a delay. */
static int wait_for_compiled(struct node *n)
{
	int err = take_compiled(n);

	for (u32 tries = 0; tries < 300 && !err && !has_all(n); tries++) {
		usleep(100000);
		err = take_compiled(n);
	}
	return err;
}

static int add_node(const char *binary, u32 major, bool is_maglev)
{
	struct node *n = &nodes[n_nodes++];
	struct elf_file *elf = NULL;
	int err;

	n->major = major;
	n->is_maglev = is_maglev;
	n->mem = -1;
	err = start(n, binary);
	if (!err)
		err = elf_file_open(&elf, binary);
	if (!err)
		err = elf_file_each_symbol(elf, take_builtin, n);
	if (!err)
		err = elf_file_each_symbol(elf, end_builtins, n);
	elf_file_free(&elf);
	return err ? err : wait_for_compiled(n);
}

struct look {
	u8 code[CODE_MAX], mask[512], bytes[512];
	size_t len;
	const struct sim_piece *piece;
};

static bool occurs(const struct look *l)
{
	for (size_t at = 0; at + l->piece->len <= l->len; at++) {
		u32 i = 0;

		while (i < l->piece->len && !((l->code[at + i] ^ l->bytes[i]) & l->mask[i]))
			i++;
		if (i == l->piece->len)
			return true;
	}
	return false;
}

static void look_at(const struct node *n, u32 origin, struct look *l)
{
	const struct sim_templates *t = sim_templates_get("x86_64");
	ssize_t len;

	l->piece = sim_templates_find(t, origins[origin].piece, n->major);
	assert_non_null(l->piece);
	if (!n->addrs[origin])
		fail_msg("in Node.js %u, the test did not find %s", n->major, origins[origin].from);
	assert_in_range(n->lens[origin], l->piece->len, CODE_MAX);
	len = pread(n->mem, l->code, n->lens[origin], (off_t)n->addrs[origin]);
	assert_int_equal(len, n->lens[origin]);
	l->len = (size_t)len;
	assert_true(l->piece->len <= sizeof(l->mask));
	memcpy(l->bytes, l->piece->bytes, l->piece->len);
	sim_piece_mask(l->piece, l->mask);
}

static void each_code_template_of_fixtures_occurs_in_code_of_live_node(void **state)
{
	u32 origin = (u32)(uintptr_t)*state;
	struct look l;

	for (u32 i = 0; i < n_nodes; i++) {
		if (!wants(&nodes[i], origin))
			continue;
		look_at(&nodes[i], origin, &l);
		if (!occurs(&l))
			fail_msg("Node.js %u: the template \"%s\" does not occur in the code of %s",
				 nodes[i].major, l.piece->name, origins[origin].from);
	}
}

/*
 * Negative control: the comparison detects a change of every bit of every piece, except in holes.
 */
static void a_changed_bit_outside_the_holes_of_a_template_is_detected(void **state)
{
	struct look l;

	(void)state;
	for (u32 origin = 0; origin < N_ORIGINS; origin++) {
		if (!wants(&nodes[0], origin))
			continue;
		look_at(&nodes[0], origin, &l);
		for (u32 i = 0; i < l.piece->len * 8; i++) {
			bool is_hole = !(l.mask[i / 8] >> i % 8 & 1);

			l.bytes[i / 8] ^= (u8)(1 << i % 8);
			if (occurs(&l) != is_hole)
				fail_msg("bit %u of \"%s\"", i, l.piece->name);
			l.bytes[i / 8] ^= (u8)(1 << i % 8);
		}
	}
}

static struct CMUnitTest tests[N_ORIGINS + 1];
static char names[N_ORIGINS][128];

static int run(void)
{
	for (u32 i = 0; i < N_ORIGINS; i++) {
		snprintf(names[i], sizeof(names[i]), "%s is in live %s", origins[i].piece,
			 origins[i].from);
		tests[i] = (struct CMUnitTest){
			.name = names[i],
			.test_func = each_code_template_of_fixtures_occurs_in_code_of_live_node,
			.initial_state = (void *)(uintptr_t)i
		};
	}
	tests[N_ORIGINS] = (struct CMUnitTest)cmocka_unit_test(
		a_changed_bit_outside_the_holes_of_a_template_is_detected);
	return check_run("templates", tests, N_ORIGINS + 1);
}

/* Adds the processes of all versions that the templates have, with and without Maglev. */
static int add_version(const char *dir, u32 major)
{
	char pattern[4096];
	glob_t found;
	int err = 0;

	snprintf(pattern, sizeof(pattern), "%s/%u.*/bin/node", dir, major);
	if (glob(pattern, 0, NULL, &found))
		return -ENOENT;
	for (u32 is_maglev = 0; is_maglev <= (major >= 24) && !err; is_maglev++)
		err = add_node(found.gl_pathv[0], major, is_maglev);
	globfree(&found);
	return err;
}

static void end_all(void)
{
	char path[64];

	for (u32 i = 0; i < n_nodes; i++)
		end(&nodes[i]);
	snprintf(path, sizeof(path), "%s/" LOG_NAME, scratch);
	unlink(path);
	rmdir(scratch);
}

int main(int argc, char **argv)
{
	static const u32 majors[] = { 18, 20, 22, 24, 26 };
	const char *dir = getenv("UNSPOOL_NODE_DIR");
	int err = dir ? 0 : -ENOENT, status = 1;

	if (argc != 2 || !realpath(argv[1], script) || !mkdtemp(scratch))
		return 2;
	for (u32 i = 0; i < sizeof(majors) / sizeof(majors[0]) && !err; i++)
		err = add_version(dir, majors[i]);
	if (err == -ENOENT)
		status = check_cannot_run(
			"this test needs Node.js 18, 20, 22, 24, 26 in UNSPOOL_NODE_DIR");
	else if (err)
		fprintf(stderr, "Node.js %u did not start\n", nodes[n_nodes - 1].major);
	else
		status = run();
	end_all();
	return status;
}
