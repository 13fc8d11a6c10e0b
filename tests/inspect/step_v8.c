/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The walk at every instruction of V8's code (step_judge.h): the main thread of a live
 * Node.js, on this machine or of arm64 under qemu-user (live_cpu.h).
 *
 *	step_v8 STEPS SKIP_MS NODE [FLAG]... SCRIPT [ARG]...
 *
 * Of the stacks the part down to the first native frame is judged. By name counts frame 0
 * as a handler of the interpreter, which counts as the function that is interpreted and is
 * named as it; or a builtin whose caller is no frame, but naming finds it (v8_name.c) and
 * says both. Who enters baseline code must be the function whose BytecodeArray that code has;
 * naming knows it by a register or the frame.
 *
 * Misses are listed by builtin, or tier and whether its code has just begun, with the bytes at
 * pc.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/v8/v8_heap.h"
#include "../../inspect/v8/v8_name.h"
#include "../check.h"
#include "live_node.h"
#include "step_judge.h"

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

#define PROLOGUE_LEN 22 /* mov $iq, %r12; call of at most 7 bytes, after others */

/* Is it the function whose BytecodeArray stands in baseline code, before its first call? */
static bool is_function_at(const struct step_judge *j, u64 ra, const struct v8_name *name)
{
	const struct live_node *node = j->data;
	u64 time_ns = node->walk.sample.time_ns, bytecode = 0;
	u8 code[PROLOGUE_LEN];
	struct v8_function *f;
	struct v8_name like;

	if (target_read(j->target, ra - PROLOGUE_LEN, code, sizeof(code)))
		return false;
	for (int i = 0; i < PROLOGUE_LEN - 10; i++)
		if (code[i] == 0x49 && code[i + 1] == 0xbc)
			memcpy(&bytecode, code + i + 2, sizeof(bytecode));
	f = bytecode ? v8_function_by_bytecode(node->heap, bytecode, time_ns) : NULL;
	if (!f)
		return false;
	v8_name_function(f, &like);
	return !strcmp(like.name, name->name);
}

/* As v8_name.c's name_in_handler() and name_by_stack() find it. */
static bool is_by_name(const struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;
	const struct live_node *node = j->data;
	const struct v8_builtin *b = builtin_at(node, s->pc), *caller;
	u64 ra = shadow_ra(&j->shadow, 0);
	struct v8_name names[V8_MAX_NAMES];

	if (!b || !step_agrees(j, 1, 1, 0))
		return false;
	if (b->is_entering)
		return v8_heap_name(node->heap, s, 0, names) == 2 && !names[1].reason &&
		       is_function_at(j, ra, &names[1]);
	if (s->frames[0].kind != UW_V8_JS || s->frames[0].status != UW_OK)
		return false;
	caller = builtin_at(node, ra - 1);
	if (b->is_handler)
		return caller && caller->kind == V8_BUILTIN_INTERPRETER &&
		       v8_heap_name(node->heap, s, 0, names) == 1 && !names[0].reason;
	if (s->sp_words[0] != ra && s->sp_words[1] != ra && s->sp_words[2] != ra)
		return false;
	return v8_heap_name(node->heap, s, 0, names) > 1 && !names[1].reason;
}

static void describe(const struct step_judge *j, char *text, size_t len)
{
	const struct live_node *node = j->data;
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

static bool is_mapped(const struct step_judge *j, u64 pc)
{
	return mapping_at(j->data, pc) != NULL;
}

static bool is_judged(const struct step_judge *j, u64 pc)
{
	return is_v8(j->data, pc);
}

static bool is_last(const struct step_judge *j, u64 ra)
{
	return !is_v8(j->data, ra);
}

static bool is_base(const struct step_judge *j)
{
	(void)j;
	return true;
}

static int refresh(struct step_judge *j, bool is_fresh)
{
	return live_node_read_mappings(j->data, is_fresh);
}

/* All leaves are named, as a recorder does: what a function's BytecodeArray is comes from that. */
static int walk(struct step_judge *j)
{
	struct live_node *node = j->data;
	struct v8_name names[V8_MAX_NAMES];
	int r = live_node_walk(node);

	if (!r && node->walk.sample.frames[0].kind == UW_V8_JS)
		v8_heap_name(node->heap, &node->walk.sample, 0, names);
	return r;
}

int main(int argc, char **argv)
{
	static const struct step_kind v8 = { is_mapped,	 is_judged, is_last, is_base,
					     is_by_name, describe,  refresh, walk };
	static struct live_node node;
	static struct step_judge j = { .kind = &v8, .data = &node };
	bool is_good;
	u64 n;
	int r;

	if (argc < 5)
		return check_cannot_run(
			"usage: step_v8 STEPS SKIP_MS NODE [FLAG]... SCRIPT [ARG]...");
	n = strtoull(argv[1], NULL, 10);
	r = live_node_start(&node, argv + 3);
	if (!r) {
		usleep((useconds_t)atoi(argv[2]) * 1000);
		j.cpu = &node.cpu;
		j.target = &node.process.target;
		j.walk = &node.walk;
		r = step_thread(&j, n);
	}
	is_good = step_report(&j, n);
	live_node_end(&node);
	if (r < 0)
		printf("%s\n", strerror(-r));
	return r < 0 || !is_good;
}
