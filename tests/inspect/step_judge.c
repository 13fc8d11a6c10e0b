/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_judge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NATIVE_STEPS 500
#define STRETCH_STEPS 300 /* consecutive steps that are judged */
#define MAX_SKIP_STEPS 600 /* maximum number of steps between stretches; the number is random */
#define WINDOW_STEPS 700 /* judged steps before judging restarts elsewhere */
#define MAX_LOST_STEPS 20 /* steps with a lost shadow stack before judging restarts */
#define MAX_TRIES 200 /* maximum number of attempts to find a known stack */
#define MAX_NATIVE_NS 500000000ull
#define MAX_RUN_NS 300000000000ull /* allows for many garbage collections */

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

/* Marsaglia's xorshift64; each run has the same sequence. */
static u64 next_random(struct step_judge *j)
{
	j->random = j->random ? j->random : 88172645463325252ull;
	j->random ^= j->random << 13;
	j->random ^= j->random >> 7;
	return j->random ^= j->random << 17;
}

/* ---- judging ---- */

/* Returns the return addresses of the shadow stack, down to the last one that is judged. */
static const struct step_chain *true_chain(const struct step_judge *j)
{
	static struct step_chain chain;
	u64 ra;

	chain.is_cut = false;
	for (chain.n = 0; !chain.is_cut && (ra = shadow_ra(&j->shadow, chain.n)); chain.n++) {
		chain.ras[chain.n] = ra;
		chain.is_cut = j->kind->is_last(j, ra);
	}
	return &chain;
}

static enum step_verdict compare(const struct step_judge *j)
{
	const struct step_chain *chain = true_chain(j);
	const struct uw_sample *s = &j->walk->sample;

	if (step_chain_agrees(s, 1, chain, 0, 0))
		return STEP_EXACT;
	if (chain->n && j->kind->names && j->kind->is_named(j, chain->ras[0]) &&
	    step_chain_agrees(s, 1, chain, 1, 0))
		return STEP_BY_NAME;
	return STEP_MISS;
}

static void count_controls(struct step_judge *j)
{
	struct step_chain chain = *true_chain(j);
	const struct uw_sample *s = &j->walk->sample;

	j->controls[STEP_OFF_BY_ONE] += step_chain_agrees(s, 1, &chain, 0, 1);
	if (!step_chain_agrees(s, 1, &chain, 0, 0))
		return;
	j->controls[STEP_NO_INNERMOST] += step_chain_agrees(s, 1, &chain, 1, 0);
	j->controls[STEP_NO_OUTERMOST] += step_chain_drop_outermost(&chain) &&
					  step_chain_agrees(s, 1, &chain, 0, 0);
}

static void count(struct step_judge *j, enum step_verdict verdict, u64 n)
{
	j->verdicts[verdict] += n;
	j->judged += n;
}

void step_settle_names(struct step_judge *j, bool is_right)
{
	for (int i = 0; i < STEP_N_VERDICTS; i++) {
		for (u64 k = 0; !is_right && k < j->pending[i]; k++)
			step_list_miss(j, "a wrong name, before");
		count(j, is_right ? (enum step_verdict)i : STEP_MISS, j->pending[i]);
		j->pending[i] = 0;
	}
}

static int judge_step(struct step_judge *j)
{
	enum step_names names = STEP_NAMES_RIGHT;
	enum step_verdict verdict;
	bool is_moved, is_open;
	int r = j->kind->walk(j);

	if (r < 0)
		return r;
	j->window_steps++;
	j->spoiled += j->is_spoiled;
	count_controls(j);
	verdict = compare(j);
	if (verdict != STEP_MISS && j->kind->names) {
		j->controls[STEP_WRONG_NAME] += j->kind->names(j, true) != STEP_NAMES_WRONG;
		names = j->kind->names(j, false);
		is_moved = names == STEP_NAMES_MOVED || names == STEP_NAMES_MOVED_OPEN;
		if (is_moved && verdict == STEP_EXACT)
			verdict = STEP_MOVED;
		else if (is_moved || names == STEP_NAMES_WRONG)
			verdict = STEP_MISS;
	}
	is_open = names == STEP_NAMES_OPEN || names == STEP_NAMES_MOVED_OPEN;
	if (is_open && verdict != STEP_MISS) {
		j->pending[verdict]++;
		return 0;
	}
	count(j, verdict, 1);
	j->noticed += j->is_spoiled && verdict == STEP_MISS;
	if (verdict == STEP_MISS)
		step_list_miss(j, step_chain_form(&j->walk->sample, true_chain(j)));
	return 0;
}

/* ---- stepping ---- */

int step_read_state(struct step_judge *j)
{
	int r = live_cpu_read(j->cpu);

	if (r)
		return r;
	memset(j->insn, 0, sizeof(j->insn));
	r = target_read(j->target, j->cpu->regs.pc, j->insn, SHADOW_MAX_INSN);
	return r ? target_read(j->target, j->cpu->regs.pc, j->insn, 1) : 0;
}

int step_run_to(struct step_judge *j, u64 pc, u64 sp)
{
	struct live_cpu *c = j->cpu;
	u64 end_ns = now_ns() + MAX_NATIVE_NS * (u64)live_cpu_slowness;
	int r = live_cpu_break(c, pc);

	while (!r) {
		if (now_ns() > end_ns) {
			r = -ETIMEDOUT;
			break;
		}
		r = live_cpu_continue(c);
		if (!r)
			r = live_cpu_wait(c, LIVE_CPU_SOON_MS);
		if (!r)
			r = step_read_state(j);
		if (r || (c->regs.pc == pc && c->regs.sp >= sp))
			break;
		/* The thread stopped at the breakpoint, but in a deeper call. */
		if (c->regs.pc == pc)
			r = live_cpu_step(c);
	}
	if (r == -ETIMEDOUT && live_cpu_interrupt(c))
		return -ESRCH;
	live_cpu_break(c, 0);
	return r;
}

/* A random power of two, so that small and large values are equally frequent. */
static u32 first_skip(struct step_judge *j)
{
	return j->kind->skip_bits ? 1u << (next_random(j) % (j->kind->skip_bits + 1u))
				  : MAX_SKIP_STEPS;
}

static int begin(struct step_judge *j)
{
	int r = -ETIMEDOUT;

	for (int i = 0; i < STEP_N_VERDICTS; i++) {
		j->open += j->pending[i];
		j->pending[i] = 0;
	}
	for (int i = 0; i < MAX_TRIES && r == -ETIMEDOUT; i++)
		r = j->kind->begin(j);
	if (r)
		return r == -ETIMEDOUT ? -EAGAIN : r;
	j->lost_steps = j->native_steps = j->window_steps = 0;
	j->skip_steps = (u32)(next_random(j) % first_skip(j));
	j->windows++;
	return 0;
}

/* Runs the thread until the innermost call returns. */
static int run_out(struct step_judge *j)
{
	int r = step_run_to(j, shadow_ra(&j->shadow, 0), j->cpu->regs.sp);

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
	u64 loads_from = shadow_loads_from(insn, &before), top = 0, loaded = 0;
	int r;

	if (c->signal) /* The signal's handler will return to this pc. */
		return step_run_to(j, c->regs.pc, c->regs.sp);
	if (loads_from)
		target_read(j->target, loads_from, &loaded, sizeof(loaded));
	r = live_cpu_step(c);
	if (!r)
		r = step_read_state(j);
	if (r < 0 || c->signal)
		return r; /* not yet executed */
	target_read(j->target, c->regs.sp, &top, sizeof(top));
	shadow_step(&j->shadow, insn, &before, &c->regs, top, loaded);
	j->steps++;
	return j->kind->is_mapped(j, c->regs.pc) ? 0 : j->kind->refresh(j, true);
}

/*
 * Is this step only recorded, and not judged? Stretches of judged steps and of recorded steps
 * alternate.
 */
static bool is_skipped(struct step_judge *j)
{
	if (j->skip_steps) {
		j->skip_steps--;
		return true;
	}
	if (j->window_steps && !(j->window_steps % STRETCH_STEPS)) {
		j->skip_steps = (u32)(next_random(j) % MAX_SKIP_STEPS);
		j->window_steps++;
	}
	return false;
}

static bool has_pending(const struct step_judge *j)
{
	for (int i = 0; i < STEP_N_VERDICTS; i++)
		if (j->pending[i])
			return true;
	return false;
}

static int step_once(struct step_judge *j)
{
	bool was_native = !j->kind->is_judged(j, j->cpu->regs.pc);
	int r = was_native && j->native_steps > NATIVE_STEPS && !j->cpu->signal ? run_out(j)
										: step(j);

	if (!r && !j->cpu->signal && j->kind->after_step)
		r = j->kind->after_step(j);
	j->lost_steps = j->shadow.is_lost ? j->lost_steps + 1 : 0;
	if (r == -ETIMEDOUT || (!r && (!j->shadow.n || j->lost_steps > MAX_LOST_STEPS ||
				       (j->window_steps >= WINDOW_STEPS && !has_pending(j)))))
		r = begin(j);
	if (r || j->cpu->signal)
		return r;
	if (!j->kind->is_judged(j, j->cpu->regs.pc)) {
		j->native_steps++;
		return 0;
	}
	j->native_steps = 0;
	j->recorded++;
	if (j->shadow.is_lost) {
		j->lost++;
		return 0;
	}
	if (j->is_outside) {
		j->outside++;
		return 0;
	}
	return is_skipped(j) ? 0 : judge_step(j);
}

int step_thread(struct step_judge *j, u64 n)
{
	u64 end_ns = now_ns() + MAX_RUN_NS, end = j->judged + n;
	int r = begin(j);

	while (!r && j->judged < end && now_ns() < end_ns)
		r = step_once(j);
	return r;
}
