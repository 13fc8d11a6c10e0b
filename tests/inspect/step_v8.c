/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The walk at every instruction of V8's code (step_judge.h): the main thread of a live
 * Node.js, on this machine, or for arm64 under qemu-user (live_cpu.h).
 *
 *	step_v8 STEPS SKIP_MS NODE [FLAG]... SCRIPT
 *
 * SCRIPT is fixtures/node/steps.js, which reports its own functions (step_program.h). The shadow
 * stack begins at a breakpoint on a builtin through which C++ calls JavaScript. From the innermost
 * frame to the first native frame, all return addresses and the names of all script functions are
 * judged. Names of builtins are not judged. Steps while no function of SCRIPT runs are not counted.
 *
 * The frame of the caller may be missing in frameless builtins, in bytecode handlers and in the
 * prologue of builtins; then the names must include the caller.
 *
 * Misses are listed with the bytes at pc, by builtin, or by tier of the code and whether pc is near
 * its start.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/v8/v8_code.h"
#include "../check.h"
#include "live_node.h"
#include "step_judge.h"
#include "step_program.h"
#include "step_spoil.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_NAMES 256

struct stepped {
	struct live_node node;
	struct step_program program;
	/* For each entry of the shadow stack: */
	u32 depths[SHADOW_MAX]; /* number of reported functions when it called native code */
	bool is_own[SHADOW_MAX]; /* in the interpreter's entry, on a function's frame */
	u32 n_shadow; /* number of entries before the last step */
	u32 n_begun;
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

static int stop(struct step_judge *j)
{
	int r = live_cpu_interrupt(j->cpu);

	if (!r)
		r = j->kind->refresh(j, true);
	return r ? r : step_read_state(j);
}

static int read_program(struct step_judge *j)
{
	struct stepped *st = j->data;
	enum program_event event;
	u32 n_callers = j->shadow.n;
	int r;

	for (u32 i = 0; i < j->shadow.n; i++)
		n_callers -= st->is_own[i];
	r = step_program_read(&st->program, j->target, n_callers, &event);
	if (event != PROGRAM_NOTHING)
		step_settle_names(j, event == PROGRAM_WAS_RIGHT);
	j->is_outside = !st->program.words[0];
	return r;
}

/* The entry point of builtin @name in the @i-th mapping of the builtins; 0: none. */
static u64 find_entry(const struct live_node *n, const char *name, u32 i)
{
	const struct v8_builtin *b = NULL;

	for (size_t k = 0; k < n->build->n_builtins && !b; k++)
		if (n->build->builtins[k].name && !strcmp(n->build->builtins[k].name, name))
			b = &n->build->builtins[k];
	for (size_t k = 0; k < n->n_mappings && b; k++) {
		const struct uw_mapping *m = &n->mappings[k];
		u64 at = n->build->blob_off + b->blob_off;

		if (m->kind == UW_MAP_V8_BUILTINS && m->file_off <= at &&
		    at - m->file_off < m->end_addr - m->start_addr && !i--)
			return m->start_addr + at - m->file_off;
	}
	return 0;
}

/*
 * C++ calls JavaScript through these builtins. At the first instruction of these builtins, the true
 * stack is one return address in C++ code, whose callers are not judged.
 */
static int begin(struct step_judge *j)
{
	static const char *const entries[] = { "JSEntry", "JSEntry", "JSEntry",
					       "JSRunMicrotasksEntry" };
	struct stepped *st = j->data;
	u32 turn = st->n_begun++, n = N(entries);
	u64 addr, ra, top = 0;
	int r = stop(j);

	if (r)
		return r;
	addr = find_entry(&st->node, entries[turn % n], turn / n % 2);
	if (!addr)
		addr = find_entry(&st->node, entries[turn % n], 0);
	if (!addr)
		return -ENOENT;
	r = step_run_to(j, addr, 0);
	if (!r)
		r = stop(j);
	if (r)
		return r;
	target_read(j->target, j->cpu->regs.sp, &top, sizeof(top));
	ra = shadow_called_from(&j->cpu->regs, top);
	if (is_v8(&st->node, ra))
		return -ETIMEDOUT;
	shadow_begin(&j->shadow, &ra, 1);
	st->n_shadow = 1;
	st->is_own[0] = false;
	r = read_program(j);
	st->depths[0] = st->program.words[0];
	return r;
}

/* Records the function that made the last call. */
static int after_step(struct step_judge *j)
{
	struct stepped *st = j->data;
	u64 ra = shadow_ra(&j->shadow, 0);
	const struct v8_builtin *b;

	if (j->shadow.n > st->n_shadow) {
		b = builtin_at(&st->node, ra - 1);
		st->depths[j->shadow.n - 1] = is_v8(&st->node, ra) ? 0 : st->program.words[0];
		st->is_own[j->shadow.n - 1] = b && b->kind == V8_BUILTIN_INTERPRETER;
	}
	st->n_shadow = j->shadow.n;
	return read_program(j);
}

/* Returns how many functions had been reported when the innermost native code was called. */
static u32 depth_of_segment(const struct step_judge *j)
{
	const struct stepped *st = j->data;

	for (u32 i = 0; i < j->shadow.n; i++)
		if (!is_v8(&st->node, shadow_ra(&j->shadow, i)))
			return st->depths[j->shadow.n - 1 - i];
	return 0;
}

/*
 * Lists the script functions of a walk, innermost first, down to the first native frame.
 * @n_inlined: how many of the innermost functions are inlined into the next one.
 */
static u32 list_names(const struct stepped *st, const struct uw_sample *s, char list[MAX_NAMES][64],
		      u32 *n_inlined)
{
	struct v8_name names[V8_MAX_NAMES];
	u32 n = 0;

	*n_inlined = 0;
	for (u32 i = 0; i < s->n_frames && is_v8(&st->node, s->frames[i].pc); i++) {
		int n_names = s->frames[i].kind == UW_V8_JS || s->frames[i].kind == UW_V8_CODE ||
					      s->frames[i].kind == UW_V8_STUB
				      ? v8_heap_name(st->node.heap, s, i, names)
				      : 0;

		for (int k = 0; k < n_names; k++) {
			if (names[k].kind != V8_NAME_JS || n == MAX_NAMES)
				continue;
			if (*n_inlined == n && names[k].inlined)
				++*n_inlined;
			snprintf(list[n++], sizeof(list[0]), "%s",
				 names[k].name ? names[k].name : "no name");
		}
	}
	return n;
}

/* Names of builtins are not judged, but an interpreter frame has the name of its function. */
static bool is_named(const struct step_judge *j, u64 ra)
{
	const struct stepped *st = j->data;
	const struct v8_builtin *b = builtin_at(&st->node, ra - 1);

	return is_v8(&st->node, ra) && (!b || b->kind == V8_BUILTIN_INTERPRETER);
}

/* Is the leaf optimized, so that instructions may have been moved past the function's report? */
static bool is_optimized(const struct stepped *st)
{
	struct v8_code code;

	return !v8_code_find(st->node.heap, st->node.walk.sample.pc, &code) &&
	       (code.tier == V8_TIER_MAGLEV || code.tier == V8_TIER_TURBOFAN);
}

/* Makes @name, the innermost function, pending: these steps are judged when it reports. */
static void await_report(struct step_program *p, const char *name)
{
	snprintf(p->pending, sizeof(p->pending), "%s", name);
	p->pending_depth = p->words[0];
}

static enum step_names judge_spoiled(const struct step_program *p, const char **names, u32 n,
				     u32 from_depth)
{
	bool is_pending;

	if (!step_program_agrees(p, names, n, from_depth, &is_pending) || n == is_pending)
		return STEP_NAMES_WRONG; /* or there is nothing to compare with yet */
	names[is_pending ? n - 1 : 0] = "another function";
	return step_program_agrees(p, names, n, from_depth, &is_pending) && !is_pending
		       ? STEP_NAMES_RIGHT
		       : STEP_NAMES_WRONG;
}

/*
 * An instruction of an inlined function can run before the outer function has reported, or after
 * the outer function has reported its end. Then the outer function must be right.
 */
static enum step_names judge_names(struct step_judge *j, bool is_spoiled)
{
	static char list[MAX_NAMES][64];
	const char *names[MAX_NAMES], *next;
	struct stepped *st = j->data;
	struct step_program *p = &st->program;
	u32 n_inlined, n = list_names(st, &st->node.walk.sample, list, &n_inlined);
	u32 from_depth = depth_of_segment(j);
	bool is_pending, is_moved;

	for (u32 i = 0; i < n; i++)
		names[i] = list[i];
	if (is_spoiled)
		return judge_spoiled(p, names, n, from_depth);
	is_moved = !step_program_agrees(p, names, n, from_depth, &is_pending);
	if (is_moved && !is_optimized(st))
		return STEP_NAMES_WRONG;
	if (is_moved && step_program_has_outermost(p, names + n_inlined, n - n_inlined, from_depth))
		return STEP_NAMES_MOVED;
	if (is_moved &&
	    !step_program_agrees(p, names + n_inlined, n - n_inlined, from_depth, &is_pending))
		return STEP_NAMES_WRONG;
	if (!is_pending)
		return is_moved ? STEP_NAMES_MOVED : STEP_NAMES_RIGHT;
	next = names[is_moved ? n_inlined : 0];
	if (p->pending[0] && strcmp(p->pending, next))
		return STEP_NAMES_WRONG;
	await_report(p, next);
	return is_moved ? STEP_NAMES_MOVED_OPEN : STEP_NAMES_OPEN;
}

static void describe(const struct step_judge *j, char *text, size_t len)
{
	const struct live_node *node = &((struct stepped *)j->data)->node;
	u64 pc = j->walk->sample.pc;
	const struct v8_builtin *b = builtin_at(node, pc);
	struct v8_code code;
	char where[96], bytes[3 * 8 + 1] = "";

	for (int i = 0; i < 8 && !b; i++)
		snprintf(bytes + 3 * i, 4, "%02x ", j->insn[i]);
	if (b)
		snprintf(where, sizeof(where), "%s", b->name ? b->name : "a builtin");
	else if (!v8_code_find(node->heap, pc, &code))
		snprintf(where, sizeof(where), "%s code%s",
			 v8_tier_name(code.tier) ? v8_tier_name(code.tier) : "other",
			 pc - code.start_addr < 40 ? ", at its start" : "");
	else
		snprintf(where, sizeof(where), "unknown code");
	snprintf(text, len, "%-36s %s", where, bytes);
}

static void print(const struct step_judge *j)
{
	static char list[MAX_NAMES][64];
	struct stepped *st = j->data;
	u32 n_inlined, n = list_names(st, &st->node.walk.sample, list, &n_inlined);

	for (u32 i = 0; i < n; i++)
		printf("%s%s", i ? " < " : "names: ", list[i]);
	printf("\nreported:");
	for (u32 depth = st->program.words[0]; depth--;)
		printf(" %u", st->program.words[1 + depth]);
	printf("; depth when native code was called: %u\n", depth_of_segment(j));
}

static bool is_mapped(const struct step_judge *j, u64 pc)
{
	return mapping_at(&((struct stepped *)j->data)->node, pc) != NULL;
}

static bool is_judged(const struct step_judge *j, u64 pc)
{
	return is_v8(&((struct stepped *)j->data)->node, pc);
}

static bool is_last(const struct step_judge *j, u64 ra)
{
	return !is_v8(&((struct stepped *)j->data)->node, ra);
}

static int refresh(struct step_judge *j, bool is_fresh)
{
	return live_node_read_mappings(&((struct stepped *)j->data)->node, is_fresh);
}

/*
 * Does the sample have other functions than @good? The innermost function is not compared before it
 * reports, and inlined functions are not compared where code was moved.
 */
static bool has_other_names(void *data, const struct uw_sample *good)
{
	static char list[MAX_NAMES][64], good_list[MAX_NAMES][64];
	const struct stepped *st = data;
	u32 n_inlined, n = list_names(st, &st->node.walk.sample, list, &n_inlined);

	if (n != list_names(st, good, good_list, &n_inlined))
		return false;
	for (u32 i = n_inlined + 1; i < n; i++)
		if (strcmp(list[i], good_list[i]))
			return true;
	return false;
}

/*
 * Symbolizes the leaf of each walk, as a recorder does, because this caches the BytecodeArray of
 * the leaf's function.
 */
static int walk(struct step_judge *j)
{
	struct live_node *node = &((struct stepped *)j->data)->node;
	struct v8_name names[V8_MAX_NAMES];
	int r = live_node_walk(node);

	if (!r)
		j->is_spoiled = step_spoil(&node->walk.sample, has_other_names, j->data);
	if (!r && node->walk.sample.frames[0].kind == UW_V8_JS)
		v8_heap_name(node->heap, &node->walk.sample, 0, names);
	return r;
}

int main(int argc, char **argv)
{
	static const struct step_kind v8 = {
		.begin = begin,
		.is_mapped = is_mapped,
		.is_judged = is_judged,
		.is_last = is_last,
		.after_step = after_step,
		.is_named = is_named,
		.names = judge_names,
		.describe = describe,
		.print = print,
		.refresh = refresh,
		.walk = walk,
	};
	static struct stepped st;
	static struct step_judge j = { .kind = &v8, .data = &st };
	bool is_good;
	u64 n;
	int r;

	if (argc < 5)
		return check_cannot_run("usage: step_v8 STEPS SKIP_MS NODE [FLAG]... SCRIPT");
	n = strtoull(argv[1], NULL, 10);
	r = live_node_start(&st.node, argv + 3);
	if (!r) {
		j.cpu = &st.node.cpu;
		j.target = &st.node.process.target;
		j.walk = &st.node.walk;
		usleep((useconds_t)atoi(argv[2]) * 1000);
		r = stop(&j);
	}
	if (!r)
		r = step_program_init(&st.program, st.node.out, j.target, st.node.maps);
	if (!r)
		r = step_thread(&j, n);
	is_good = step_report(&j, n);
	live_node_end(&st.node);
	step_program_deinit(&st.program);
	if (r < 0)
		printf("%s\n", strerror(-r));
	return r < 0 || !is_good;
}
