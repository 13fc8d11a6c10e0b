/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NATIVE_STEPS 500
#define WINDOW_STEPS 2000 /* that are judged, then it begins anew elsewhere */
#define MAX_LOST_STEPS 500 /* then another base is tried */
#define MAX_BASE 1024
#define MAX_TRIES 100 /* to stop it in the runtime's code */
#define MAX_NATIVE_NS 500000000ull
#define MAX_RUN_NS 300000000000ull /* of collections there can be many */

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* ---- judging ---- */

bool step_agrees(const struct step_judge *j, u32 from, u32 ra_idx, u64 spoil)
{
	const struct uw_sample *s = &j->walk->sample;

	for (;; from++, ra_idx++) {
		u64 ra = shadow_ra(&j->shadow, ra_idx);

		if (from >= s->n_frames || !ra)
			return !ra && from >= s->n_frames;
		if (s->frames[from].pc != ra + spoil)
			return false;
		if (j->kind->is_last(j, ra))
			return true;
	}
}

static const char *form_of(const struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;

	if (step_agrees(j, 1, 1, 0))
		return "the caller is missing";
	if (s->n_frames > 1 && s->frames[1].pc == shadow_ra(&j->shadow, 0) &&
	    step_agrees(j, 2, 2, 0))
		return "its caller's caller is missing";
	if (step_agrees(j, 1, 2, 0))
		return "two callers are missing";
	if (step_agrees(j, 2, 0, 0))
		return "a caller too many";
	if (s->n_frames == 1)
		return "no caller";
	return "another stack";
}

/* Both stacks of a miss. */
static void print_stacks(const struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;

	printf("pc %llx sp %llx, status %d; true | walked\n", s->pc, s->sp, s->status);
	for (u32 i = 0; i < 12; i++)
		printf("  %16llx at %16llx | %16llx\n", shadow_ra(&j->shadow, i),
		       i < j->shadow.n ? j->shadow.entries[j->shadow.n - 1 - i].addr : 0,
		       i + 1 < s->n_frames ? s->frames[i + 1].pc : 0);
}

static void list_miss(struct step_judge *j)
{
	const char *wanted = getenv("STEP_PRINT");
	char where[128], text[STEP_PLACE_LEN];
	size_t i;

	j->kind->describe(j, where, sizeof(where));
	snprintf(text, sizeof(text), "%-24s %s", form_of(j), where);
	if (wanted && strstr(text, wanted)) {
		printf("%s\n", text);
		print_stacks(j);
	}
	for (i = 0; i < j->n_places && strcmp(j->places[i].text, text); i++)
		;
	if (i == STEP_MAX_PLACES)
		return;
	if (i == j->n_places)
		strcpy(j->places[j->n_places++].text, text);
	j->places[i].n++;
}

static int judge_step(struct step_judge *j)
{
	int r;

	if (j->shadow.is_lost) {
		j->lost++;
		return 0;
	}
	r = j->kind->walk(j);
	if (r < 0)
		return r;
	j->judged++;
	j->window_steps++;
	j->spoiled_exact += step_agrees(j, 1, 0, 1);
	if (step_agrees(j, 1, 0, 0))
		j->exact++;
	else if (j->kind->is_by_name && j->kind->is_by_name(j))
		j->by_name++;
	else
		list_miss(j);
	return 0;
}

/* ---- stepping ---- */

static int look(struct step_judge *j)
{
	int r = live_cpu_read(j->cpu);

	if (r)
		return r;
	memset(j->insn, 0, sizeof(j->insn));
	r = target_read(j->target, j->cpu->regs.pc, j->insn, SHADOW_MAX_INSN);
	return r ? target_read(j->target, j->cpu->regs.pc, j->insn, 1) : 0;
}

/* Stops it wherever it is. */
static int stop(struct step_judge *j)
{
	int r = live_cpu_interrupt(j->cpu);

	if (!r)
		r = j->kind->refresh(j, true);
	return r ? r : look(j);
}

/* Runs on to @pc, when sp is at least @sp. */
static int run_to(struct step_judge *j, u64 pc, u64 sp)
{
	struct live_cpu *c = j->cpu;
	u64 end_ns = now_ns() + MAX_NATIVE_NS;
	int r = live_cpu_break(c, pc);

	while (!r) {
		if (now_ns() > end_ns) {
			r = -ETIMEDOUT;
			break;
		}
		r = live_cpu_go_on(c);
		if (!r)
			r = live_cpu_wait(c, LIVE_CPU_SOON_MS);
		if (!r)
			r = look(j);
		if (r || (c->regs.pc == pc && c->regs.sp >= sp))
			break;
		/* Off the breakpoint, in a deeper call. */
		if (c->regs.pc == pc)
			r = live_cpu_step(c);
	}
	if (r == -ETIMEDOUT && live_cpu_interrupt(c))
		return -ESRCH;
	live_cpu_break(c, 0);
	return r;
}

/* Can a shadow stack begin with the walk that was just made? */
static bool is_base(const struct step_judge *j)
{
	return j->kind->is_judged(j, j->walk->sample.pc) && j->kind->is_base(j);
}

/*
 * Where it happens to be stopped the walk may be wrong, and that is what is judged. So it runs
 * on to where the function returns to: who has just called has a frame, whatever it is.
 */
static int find_base(struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;
	int r = j->cpu->is_stopped ? live_cpu_go_on(j->cpu) : 0;

	usleep(3000);
	if (!r)
		r = stop(j);
	if (!r)
		r = j->kind->walk(j);
	if (r < 0)
		return r;
	if (!is_base(j) || s->n_frames < 2 || !j->kind->is_judged(j, s->frames[1].pc))
		return -ETIMEDOUT;
	r = run_to(j, s->frames[1].pc, s->sp);
	if (!r)
		r = j->kind->refresh(j, true);
	if (!r)
		r = j->kind->walk(j);
	return r ? r : is_base(j) ? 0 : -ETIMEDOUT;
}

/* The stack as the walk has it becomes the true one's base. */
static int begin(struct step_judge *j)
{
	static u64 ras[MAX_BASE];
	const struct uw_sample *s = &j->walk->sample;
	int r = -ETIMEDOUT;
	u32 n;

	for (int i = 0; i < MAX_TRIES && r == -ETIMEDOUT; i++)
		r = find_base(j);
	if (r)
		return r == -ETIMEDOUT ? -EAGAIN : r;
	j->lost_steps = j->native_steps = j->window_steps = 0;
	j->windows++;
	for (n = 0; n + 1 < s->n_frames && n < MAX_BASE; n++)
		ras[n] = s->frames[n + 1].pc;
	shadow_begin(&j->shadow, ras, n);
	return 0;
}

/* Runs on to where the innermost call returns to. */
static int run_out(struct step_judge *j)
{
	int r = run_to(j, shadow_ra(&j->shadow, 0), j->cpu->regs.sp);

	if (r)
		return r;
	shadow_return(&j->shadow, &j->cpu->regs);
	return j->kind->refresh(j, false);
}

static int step(struct step_judge *j)
{
	struct live_cpu *c = j->cpu;
	struct uw_regs before = c->regs;
	enum shadow_insn insn = shadow_classify(j->insn);
	u64 top = 0;
	int r;

	if (c->signal) /* its handler returns to here */
		return run_to(j, c->regs.pc, c->regs.sp);
	r = live_cpu_step(c);
	if (!r)
		r = look(j);
	if (r < 0 || c->signal)
		return r; /* before the instruction was executed */
	target_read(j->target, c->regs.sp, &top, sizeof(top));
	shadow_step(&j->shadow, insn, &before, &c->regs, top);
	j->steps++;
	return j->kind->is_mapped(j, c->regs.pc) ? 0 : j->kind->refresh(j, true);
}

static int step_once(struct step_judge *j)
{
	bool was_native = !j->kind->is_judged(j, j->cpu->regs.pc);
	int r = was_native && j->native_steps > NATIVE_STEPS && !j->cpu->signal ? run_out(j)
										: step(j);

	j->lost_steps = j->shadow.is_lost ? j->lost_steps + 1 : 0;
	if (r == -ETIMEDOUT ||
	    (!r && (j->lost_steps > MAX_LOST_STEPS || j->window_steps >= WINDOW_STEPS)))
		r = begin(j);
	if (r || j->cpu->signal)
		return r;
	if (!j->kind->is_judged(j, j->cpu->regs.pc)) {
		j->native_steps++;
		return 0;
	}
	j->native_steps = 0;
	return judge_step(j);
}

int step_thread(struct step_judge *j, u64 n)
{
	u64 end_ns = now_ns() + MAX_RUN_NS, end = j->judged + n;
	int r = begin(j);

	while (!r && j->judged < end && now_ns() < end_ns)
		r = step_once(j);
	return r;
}

/* ---- the report ---- */

static int compare_places(const void *a, const void *b)
{
	const struct step_place *x = a, *y = b;

	return (x->n < y->n) - (x->n > y->n);
}

bool step_report(struct step_judge *j, u64 n)
{
	const char *least = getenv("STEP_FAIL_UNDER");
	u64 good = j->exact + j->by_name;
	double percent = 100.0 * (double)good / (double)(j->judged ? j->judged : 1);

	printf("%llu steps, %llu judged, %u windows: exact %llu, by name %llu, together %.3f %%, "
	       "missed %llu; without a true stack %llu (%u times); control %llu\n",
	       j->steps, j->judged, j->windows, j->exact, j->by_name, percent, j->judged - good,
	       j->lost, j->shadow.n_lost, j->spoiled_exact);
	qsort(j->places, j->n_places, sizeof(j->places[0]), compare_places);
	for (size_t i = 0; i < j->n_places && i < 60; i++)
		printf("  %6llu  %s\n", j->places[i].n, j->places[i].text);
	return !j->spoiled_exact && (!least || (j->judged >= n && percent >= atof(least)));
}
