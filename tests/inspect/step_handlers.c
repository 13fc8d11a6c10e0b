/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lines at every instruction of V8's interpreter: a live Node.js is single-stepped, and the line
 * and column of its innermost function are compared with those of the bytecode that runs. This
 * bytecode is known because r9 has the bytecode offset at the entry of each handler.
 *
 *	step_handlers STEPS SKIP_MS NODE [FLAG]... SCRIPT [ARG]...
 *
 * Verdicts on a step inside a handler, on the function's frame or on the handler's own:
 *
 *	exact	the position is that of the bytecode with which this handler was entered
 *	next	the position is that of the bytecode with which the next handler is entered
 *	none	there is no line
 *	wrong	anything else; must not occur
 *
 * As a control, each step is also compared with a wrong line, which must never agree.
 * Steps without a line and wrong steps are listed by handler and offset in the handler.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/v8/v8_bytecode.h"
#include "../../inspect/v8/v8_function.h"
#include "../check.h"
#include "live_node.h"

#define MAX_FRAMES 1024
#define MAX_PENDING 64
#define MAX_PLACES 256
#define SPOILED 100000 /* added to a line to make it wrong; no program has so many lines */

/*
 * A running function: the address of its frame, and the bytecode offset and handler when it last
 * entered a handler. Innermost last.
 */
struct running {
	u64 fp, word;
	const struct v8_builtin *handler;
};

struct place {
	const struct v8_builtin *handler;
	u32 off;
	bool is_wrong;
	u64 n;
};

struct stepper {
	struct live_node node;
	struct running running[MAX_FRAMES];
	u32 n_running;
	/*
	 * Counts a step with another position than that of the current bytecode; right if the
	 * position is that of the next one.
	 */
	struct {
		struct v8_name name;
		const struct v8_builtin *handler;
		u32 off;
	} pending[MAX_PENDING];
	u32 n_pending;
	u64 judged, exact, next, none, wrong, control;
	struct place places[MAX_PLACES];
	u32 n_places;
};

static const struct v8_builtin *builtin_at(const struct live_node *n, u64 pc, u32 *off)
{
	for (size_t i = 0; i < n->n_mappings; i++) {
		const struct uw_mapping *m = &n->mappings[i];
		const struct v8_builtin *b;

		if (m->kind != UW_MAP_V8_BUILTINS || pc < m->start_addr || pc >= m->end_addr)
			continue;
		b = v8_build_builtin_at(n->build,
					m->file_off + (pc - m->start_addr) - n->build->blob_off);
		if (b)
			*off = (u32)(m->file_off + (pc - m->start_addr) - n->build->blob_off -
				     b->blob_off);
		return b;
	}
	return NULL;
}

static void list(struct stepper *st, const struct v8_builtin *handler, u32 off, bool is_wrong)
{
	u32 i;

	for (i = 0; i < st->n_places; i++)
		if (st->places[i].handler == handler && st->places[i].off == off &&
		    st->places[i].is_wrong == is_wrong)
			break;
	if (i == MAX_PLACES)
		return;
	if (i == st->n_places)
		st->places[st->n_places++] = (struct place){ handler, off, is_wrong, 0 };
	st->places[i].n++;
}

/*
 * Finds the source position of the bytecode at offset @word in the function's position table; false
 * if there is none.
 */
static bool locate(struct stepper *st, u64 sfi, u64 word, u32 *line, u32 *column)
{
	struct v8_heap *h = st->node.heap;
	struct v8_function *f = v8_function_get(h, sfi, 0);
	const char *reason;
	s32 pos;

	if (!f || !f->script)
		return false;
	pos = v8_bytecode_position(h, v8_function_bytecode(h, f),
				   (s32)word - (s32)(h->l->bytecode_data - 1));
	return pos >= 0 && v8_script_position(h, f->script, pos, line, column, &reason);
}

/* Records the entry of a handler. */
static void enter(struct stepper *st, const struct v8_builtin *handler)
{
	u64 fp = st->node.cpu.regs.fp;
	u32 i = 0;

	while (i < st->n_running && st->running[i].fp > fp)
		i++;
	if (i == MAX_FRAMES)
		return;
	st->running[i] = (struct running){ fp, st->node.cpu.interp[0], handler };
	st->n_running = i + 1;
}

static void settle(struct stepper *st, u64 sfi)
{
	u32 line = 0, column = 0;
	bool is_there = locate(st, sfi, st->node.cpu.interp[0], &line, &column);

	for (u32 i = 0; i < st->n_pending; i++) {
		const struct v8_name *name = &st->pending[i].name;

		if (is_there && name->line == line && name->column == column) {
			st->next++;
		} else {
			st->wrong++;
			list(st, st->pending[i].handler, st->pending[i].off, true);
		}
	}
	st->n_pending = 0;
}

static void judge(struct stepper *st, const struct running *r, const struct v8_name *name, u64 sfi,
		  u32 off)
{
	u32 line, column;

	if (!locate(st, sfi, r->word, &line, &column))
		return;
	st->judged++;
	st->control += name->line == line + SPOILED;
	if (!name->line) {
		st->none++;
		list(st, r->handler, off, false);
	} else if (name->line == line && name->column == column) {
		st->exact++;
	} else if (st->n_pending < MAX_PENDING) {
		st->pending[st->n_pending].name = *name;
		st->pending[st->n_pending].handler = r->handler;
		st->pending[st->n_pending++].off = off;
	} else {
		st->wrong++;
		list(st, r->handler, off, true);
	}
}

/*
 * Returns the innermost function if it is in handler @b. *frame: the index of its frame, 1 if @b
 * has a frame of its own.
 */
static const struct running *running_in(struct stepper *st, const struct v8_builtin *b, u32 *frame)
{
	const struct uw_sample *s = &st->node.walk.sample;
	const struct running *r = st->n_running ? &st->running[st->n_running - 1] : NULL;

	if (!r || r->handler != b || s->n_frames < 2)
		return NULL;
	*frame = s->frames[0].kind != UW_V8_JS;
	return s->frames[*frame].kind == UW_V8_JS && s->frames[*frame].status == UW_OK ? r : NULL;
}

static int look(struct stepper *st)
{
	struct v8_name names[V8_MAX_NAMES];
	const struct running *r;
	const struct v8_builtin *b;
	u32 off = 0, frame;
	u64 sfi;
	int n;

	if (live_cpu_read(&st->node.cpu) < 0)
		return -1;
	b = builtin_at(&st->node, st->node.cpu.regs.pc, &off);
	if (!b || !b->is_handler)
		return 0;
	if (live_node_walk(&st->node) < 0)
		return -1;
	if (!off)
		enter(st, b);
	r = running_in(st, b, &frame);
	if (!r)
		return 0;
	sfi = st->node.walk.sample.frames[frame].a;
	if (!off)
		settle(st, sfi);
	n = v8_heap_name(st->node.heap, &st->node.walk.sample, frame, names);
	if (n == 1)
		judge(st, r, &names[0], sfi, off);
	return n;
}

static int step(struct stepper *st)
{
	return live_cpu_step(&st->node.cpu) < 0 ? -1 : look(st);
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->n < y->n ? 1 : x->n > y->n ? -1 : 0;
}

static bool report(struct stepper *st)
{
	double all = st->judged ? (double)st->judged : 1;

	qsort(st->places, st->n_places, sizeof(st->places[0]), compare_places);
	for (u32 i = 0; i < st->n_places; i++)
		printf("%8llu %s %s+%x\n", st->places[i].n,
		       st->places[i].is_wrong ? "wrong" : "none ", st->places[i].handler->name,
		       st->places[i].off);
	printf("of %llu steps %.3f %% have the line of the current bytecode, %.3f %% have the line "
	       "of "
	       "the next bytecode and %.3f %% have no line; wrong lines: %llu, control: %llu\n",
	       st->judged, 100 * (double)st->exact / all, 100 * (double)st->next / all,
	       100 * (double)st->none / all, st->wrong, st->control);
	return st->judged && !st->wrong && !st->control;
}

int main(int argc, char **argv)
{
	static struct stepper st;
	bool is_good;
	u64 n;
	int r;

	if (argc < 5)
		return check_cannot_run(
			"usage: step_handlers STEPS SKIP_MS NODE [FLAG]... SCRIPT [ARG]...");
	n = strtoull(argv[1], NULL, 10);
	r = live_node_start(&st.node, argv + 3);
	if (!r) {
		usleep((useconds_t)atoi(argv[2]) * 1000);
		r = live_node_sample(&st.node);
	}
	while (r >= 0 && n--)
		r = step(&st);
	is_good = report(&st);
	live_node_end(&st.node);
	return r < 0 || !is_good;
}
