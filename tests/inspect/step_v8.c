/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The walk at every instruction of V8's code, against a true stack: the main thread
 * of a live Node.js is single-stepped, a shadow stack (shadow_stack.h) keeps what
 * was called, and the core walks the live memory after each step.
 *
 *	step_v8 STEPS SKIP_MS NODE [FLAG]... SCRIPT [ARG]...
 *
 * Only steps in V8's own code are judged, and of these stacks the part down to the
 * first native frame. A step is
 *
 *	exact    each return address is there, in order
 *	by name  frame 0 is a handler of the interpreter, which counts as the function that is
 *	         interpreted and is named as it; or a builtin whose caller is no frame, but
 *	         naming finds it (v8_name.c) and says both
 *	miss     anything else
 *
 * $STEP_PRINT: misses whose line has this text are printed in full. $STEP_FAIL_UNDER: it is a
 * failure when less than so many % are right, or when fewer than STEPS could be judged.
 *
 * Misses are listed by place (a builtin, or a tier and whether its code has just begun)
 * and form, in JIT code with the bytes at pc. A native call that takes longer than
 * NATIVE_STEPS is run to its end.
 */

#include <errno.h>
#include <stddef.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/v8/v8_heap.h"
#include "../check.h"
#include "live_node.h"
#include "shadow_stack.h"

#define NATIVE_STEPS 2000
#define MAX_LOST_STEPS 5000 /* then another base is tried */
#define MAX_PLACES 1024
#define PLACE_LEN 160
#define MAX_WAITS 3000 /* of 100 us */
#define MAX_BASE 1024
#define MAX_TRIES 100 /* to stop it in V8's code */
#define MAX_NATIVE_NS 500000000ull
#define MAX_RUN_NS 300000000000ull /* of collections there can be many */

struct place {
	char text[PLACE_LEN];
	u64 n;
};

struct judge {
	struct live_node node;
	struct shadow_stack shadow;
	struct user_regs_struct regs;
	u8 insn[16];
	u64 steps, judged, exact, by_name, lost, spoiled_exact;
	u32 native_steps, lost_steps;
	struct place places[MAX_PLACES];
	size_t n_places;
	const char *wanted; /* misses whose text has this are printed in full */
};

static const struct uw_mapping *mapping_at(const struct live_node *n, u64 pc)
{
	for (size_t i = 0; i < n->n_mappings; i++)
		if (pc >= n->mappings[i].start_addr && pc < n->mappings[i].end_addr)
			return &n->mappings[i];
	return NULL;
}

static bool is_v8(const struct live_node *n, u64 pc)
{
	const struct uw_mapping *m = mapping_at(n, pc);

	return m && m->kind != UW_MAP_NATIVE;
}

static const struct v8_builtin *builtin_at(const struct live_node *n, u64 pc)
{
	const struct uw_mapping *m = mapping_at(n, pc);

	if (!m || m->kind != UW_MAP_V8_BUILTINS)
		return NULL;
	return v8_build_builtin_at(n->build,
				   m->file_off + (pc - m->start_addr) - n->build->blob_off);
}

/* ---- judging ---- */

/* Do frames from @from on agree with the shadow stack's from @ra_idx on, down to native code? */
static bool agrees(const struct judge *j, u32 from, u32 ra_idx, u64 spoil)
{
	const struct uw_sample *s = &j->node.walk.sample;

	for (;; from++, ra_idx++) {
		u64 ra = shadow_ra(&j->shadow, ra_idx);

		if (from >= s->n_frames || !ra)
			return !ra && from >= s->n_frames;
		if (s->frames[from].pc != ra + spoil)
			return false;
		if (!is_v8(&j->node, ra))
			return true;
	}
}

/* As v8_name.c's name_in_handler() and name_by_stack() find it. */
static bool is_by_name(const struct judge *j)
{
	const struct uw_sample *s = &j->node.walk.sample;
	const struct v8_builtin *b = builtin_at(&j->node, s->pc), *caller;
	u64 ra = shadow_ra(&j->shadow, 0);
	struct v8_name names[V8_MAX_NAMES];

	if (s->frames[0].kind != UW_V8_JS || s->frames[0].status != UW_OK || !b ||
	    !agrees(j, 1, 1, 0))
		return false;
	caller = builtin_at(&j->node, ra - 1);
	if (b->is_handler)
		return caller && caller->kind == V8_BUILTIN_INTERPRETER &&
		       v8_heap_name(j->node.heap, s, 0, names) == 1 && !names[0].reason;
	if (s->sp_words[0] != ra && s->sp_words[1] != ra && s->sp_words[2] != ra)
		return false;
	return v8_heap_name(j->node.heap, s, 0, names) > 1 && !names[1].reason;
}

static const char *form_of(const struct judge *j)
{
	const struct uw_sample *s = &j->node.walk.sample;

	if (agrees(j, 1, 1, 0))
		return "the caller is missing";
	if (s->n_frames > 1 && s->frames[1].pc == shadow_ra(&j->shadow, 0) && agrees(j, 2, 2, 0))
		return "its caller's caller is missing";
	if (agrees(j, 1, 2, 0))
		return "two callers are missing";
	if (agrees(j, 2, 0, 0))
		return "a caller too many";
	if (s->n_frames == 1)
		return "no caller";
	return "another stack";
}

static void describe(const struct judge *j, char *text, size_t len)
{
	u64 pc = j->node.walk.sample.pc;
	const struct v8_builtin *b = builtin_at(&j->node, pc);
	struct v8_code code;
	char where[96], bytes[3 * 8 + 1] = "";

	for (int i = 0; i < 8 && !b; i++)
		snprintf(bytes + 3 * i, 4, "%02x ", j->insn[i]);
	if (b)
		snprintf(where, sizeof(where), "%s", b->name ? b->name : "a builtin");
	else if (!v8_code_find(j->node.heap, pc, &code))
		snprintf(where, sizeof(where), "%s code%s",
			 v8_tier_name(code.tier) ? v8_tier_name(code.tier) : "other",
			 pc - code.start_addr < 40 ? ", at its start" : "");
	else
		snprintf(where, sizeof(where), "unknown code");
	snprintf(text, len, "%-36s %-24s %s", where, form_of(j), bytes);
}

/* Both stacks of a miss, down to where they meet. */
static void print_stacks(const struct judge *j)
{
	const struct uw_sample *s = &j->node.walk.sample;

	printf("pc %llx sp %llx, status %d; true | walked\n", s->pc, s->sp, s->status);
	for (u32 i = 0; i < 8; i++)
		printf("  %16llx at %16llx | %16llx\n", shadow_ra(&j->shadow, i),
		       i < j->shadow.n ? j->shadow.entries[j->shadow.n - 1 - i].addr : 0,
		       i + 1 < s->n_frames ? s->frames[i + 1].pc : 0);
}

static void list_miss(struct judge *j)
{
	char text[PLACE_LEN];
	size_t i;

	describe(j, text, sizeof(text));
	if (j->wanted && strstr(text, j->wanted))
		print_stacks(j);
	for (i = 0; i < j->n_places && strcmp(j->places[i].text, text); i++)
		;
	if (i == MAX_PLACES)
		return;
	if (i == j->n_places)
		strcpy(j->places[j->n_places++].text, text);
	j->places[i].n++;
}

static int judge_step(struct judge *j)
{
	int r;

	if (j->shadow.is_lost) {
		j->lost++;
		return 0;
	}
	r = live_node_walk(&j->node);
	if (r < 0)
		return r;
	j->judged++;
	j->spoiled_exact += agrees(j, 1, 0, 1);
	if (agrees(j, 1, 0, 0))
		j->exact++;
	else if (is_by_name(j))
		j->by_name++;
	else
		list_miss(j);
	return 0;
}

/* ---- stepping ---- */

static int wait_stop(int pid)
{
	int status, r = 0;

	for (int i = 0; i < MAX_WAITS; i++) {
		r = waitpid(pid, &status, __WALL | WNOHANG);
		if (r)
			break;
		usleep(i < 100 ? 0 : 100);
	}
	if (r < 0)
		return -errno;
	if (!r)
		return -ETIMEDOUT;
	return WIFSTOPPED(status) ? 0 : -ESRCH;
}

static int look(struct judge *j)
{
	int r = live_node_regs(&j->node, &j->regs);

	memset(j->insn, 0, sizeof(j->insn));
	if (r < 0)
		return r;
	r = target_read(&j->node.process.target, j->regs.rip, j->insn, SHADOW_MAX_INSN);
	return r ? target_read(&j->node.process.target, j->regs.rip, j->insn, 1) : 0;
}

static int set_breakpoint(int pid, u64 addr)
{
	if (ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[0]), addr) < 0 ||
	    ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[7]), addr ? 1 : 0) < 0)
		return -errno;
	return 0;
}

/* The stack as the walk has it becomes the true one's base. */
static int begin(struct judge *j)
{
	static u64 ras[MAX_BASE];
	const struct uw_sample *s = &j->node.walk.sample;
	u32 n;
	int r;

	for (int i = 0; i < MAX_TRIES; i++) {
		/* It may be running already. */
		if ((i || j->steps) && ptrace(PTRACE_CONT, j->node.pid, 0, 0) < 0 && errno != ESRCH)
			return -errno;
		usleep(3000);
		r = live_node_sample(&j->node);
		if (r < 0)
			return r;
		if (is_v8(&j->node, s->pc))
			break;
	}
	j->lost_steps = j->native_steps = 0;
	for (n = 0; n + 1 < s->n_frames && n < MAX_BASE; n++)
		ras[n] = s->frames[n + 1].pc;
	shadow_begin(&j->shadow, ras, n);
	return look(j);
}

/* Runs on to where the innermost call returns to. */
static int run_out(struct judge *j)
{
	int pid = j->node.pid, r = set_breakpoint(pid, shadow_ra(&j->shadow, 0));
	u64 sp = j->regs.rsp, end_ns = v8_now_ns() + MAX_NATIVE_NS;

	while (!r) {
		if (v8_now_ns() > end_ns) {
			r = -ETIMEDOUT;
			break;
		}
		if (ptrace(PTRACE_CONT, pid, 0, 0) < 0)
			return -errno;
		r = wait_stop(pid);
		if (!r)
			r = look(j);
		if (j->regs.rip == shadow_ra(&j->shadow, 0) && j->regs.rsp > sp)
			break;
		if (!r && ptrace(PTRACE_SINGLESTEP, pid, 0, 0) < 0)
			return -errno;
		if (!r)
			r = wait_stop(pid);
	}
	set_breakpoint(pid, 0);
	if (r)
		return r;
	shadow_return(&j->shadow, &j->regs);
	j->native_steps = 0;
	return live_node_read_mappings(&j->node);
}

static int step(struct judge *j)
{
	struct user_regs_struct before = j->regs;
	enum shadow_insn insn = shadow_classify(j->insn);
	u64 top = 0;
	int r;

	if (ptrace(PTRACE_SINGLESTEP, j->node.pid, 0, 0) < 0)
		return -errno;
	r = wait_stop(j->node.pid);
	if (!r)
		r = look(j);
	if (r < 0)
		return r;
	target_read(&j->node.process.target, j->regs.rsp, &top, sizeof(top));
	shadow_step(&j->shadow, insn, &before, &j->regs, top);
	j->steps++;
	if (!mapping_at(&j->node, j->regs.rip))
		return live_node_read_mappings(&j->node);
	return 0;
}

static int run(struct judge *j, u64 steps)
{
	u64 end_ns = v8_now_ns() + MAX_RUN_NS;
	int r = begin(j);

	while (!r && j->judged < steps && v8_now_ns() < end_ns) {
		bool was_native = !is_v8(&j->node, j->regs.rip);

		r = was_native && j->native_steps > NATIVE_STEPS ? run_out(j) : step(j);
		j->lost_steps = j->shadow.is_lost ? j->lost_steps + 1 : 0;
		if (r == -ETIMEDOUT || (!r && j->lost_steps > MAX_LOST_STEPS))
			r = begin(j);
		if (r)
			break;
		if (is_v8(&j->node, j->regs.rip)) {
			j->native_steps = 0;
			r = judge_step(j);
		} else {
			j->native_steps++;
		}
	}
	return r;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

static void report(struct judge *j)
{
	u64 good = j->exact + j->by_name;

	printf("%llu steps, %llu judged: exact %llu (%.3f %%), by name %llu, together %.3f %%, "
	       "missed %llu; without a true stack %llu (%u times); control %llu\n",
	       j->steps, j->judged, j->exact, 100.0 * (double)j->exact / (double)j->judged,
	       j->by_name, 100.0 * (double)good / (double)j->judged, j->judged - good, j->lost,
	       j->shadow.n_lost, j->spoiled_exact);
	qsort(j->places, j->n_places, sizeof(j->places[0]), compare_places);
	for (size_t i = 0; i < j->n_places && i < 60; i++)
		printf("  %6llu  %s\n", j->places[i].n, j->places[i].text);
}

static bool is_good_enough(const struct judge *j, u64 steps)
{
	const char *least = getenv("STEP_FAIL_UNDER");

	return !least || (j->judged >= steps && 100.0 * (double)(j->exact + j->by_name) >=
							atof(least) * (double)j->judged);
}

int main(int argc, char **argv)
{
	static struct judge j;
	int r;

	if (argc < 5)
		return check_cannot_run(
			"usage: step_v8 STEPS SKIP_MS NODE [FLAG]... SCRIPT [ARG]...");
	j.wanted = getenv("STEP_PRINT");
	r = live_node_start(&j.node, argv + 3);
	if (!r)
		usleep((useconds_t)atoi(argv[2]) * 1000);
	if (!r)
		r = run(&j, (u64)atoll(argv[1]));
	report(&j);
	live_node_end(&j.node);
	if (r < 0)
		printf("%s\n", strerror(-r));
	return r < 0 || j.spoiled_exact || !is_good_enough(&j, (u64)atoll(argv[1]));
}
