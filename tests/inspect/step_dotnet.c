/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The walk at every instruction of managed code (step_judge.h): threads of live .NET
 * processes, each of which runs one case of fixtures/dotnet/nesting.cs.
 *
 *	step_dotnet STEPS SKIP_MS NESTING CASE...
 *
 * A thread's whole stack is judged, down to its entry, and most of it was there before the first
 * step. So the shadow stack begins with a walk, made where a call has just returned, or in a loop,
 * and that walk is checked: it is complete and without a guess; each return address in managed code
 * that the judge itself finds by following frame pointers is in it, in this order; and the shadow
 * stack is lost, which counts as left out, as soon as an executed return leads elsewhere. A
 * frameless caller that is missing below all frames that return while steps are judged is not
 * noticed.
 *
 * Judged are steps in methods, precompiled ones and stubs, and of their stacks all frames
 * down to the thread's entry. The thread is stopped after SKIP_MS, and anew for half of each
 * case's steps, so that more than one stretch of the program is seen. Misses are listed by
 * method or kind of stub, with the bytes at pc.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"
#include "live_clr.h"
#include "step_judge.h"

#define STRETCHES 2
#define MAX_BASE 1024

static bool is_managed(const struct step_judge *j, u64 pc)
{
	const struct uw_mapping *m = live_clr_mapping(j->data, pc);

	return m && m->kind != UW_MAP_NATIVE;
}

static bool is_mapped(const struct step_judge *j, u64 pc)
{
	const struct uw_mapping *m = live_clr_mapping(j->data, pc);

	/* Of unknown stubs the runtime may know more by now. */
	return m && (m->kind != UW_MAP_DOTNET_STUBS || m->info_idx != DOTNET_STUB_HELPER);
}

static bool is_last(const struct step_judge *j, u64 ra)
{
	(void)j;
	(void)ra;
	return false;
}

static int stop(struct step_judge *j)
{
	int r = live_cpu_interrupt(j->cpu);

	if (!r)
		r = j->kind->refresh(j, true);
	return r ? r : step_look(j);
}

static bool name_at(const struct step_judge *j, u64 ra, struct dotnet_name *name)
{
	const struct live_clr *c = j->data;
	struct dotnet_code code = {};

	name->name[0] = 0;
	if (dotnet_code_find(c->net.runtime, ra - 1, &code) || code.kind == DOTNET_STUB)
		return false;
	dotnet_name_get(c->net.runtime, &code, name);
	return name->name[0];
}

/*
 * A method that was entered by on-stack replacement keeps the frame record of its first code,
 * whose return address is in that code: is there a frame of the same method?
 */
static bool is_replaced(const struct step_judge *j, u64 ra)
{
	static struct dotnet_name first, other;
	const struct uw_sample *s = &j->walk->sample;

	if (!name_at(j, ra, &first))
		return false;
	for (u32 i = 0; i < s->n_frames; i++)
		if (name_at(j, s->frames[i].pc, &other) && !strcmp(first.name, other.name))
			return true;
	return false;
}

/* Are managed code's return addresses by frame pointers frames of the walk, in order? */
static bool has_frame_pointers(const struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;
	u64 record[2], fp = j->cpu->regs.fp;
	u32 i = 1;

	while (!target_read(j->target, fp, record, sizeof(record)) && is_managed(j, record[1])) {
		u32 at = i;

		while (at < s->n_frames && s->frames[at].pc != record[1])
			at++;
		if (at < s->n_frames)
			i = at + 1;
		else if (!is_replaced(j, record[1]))
			return false;
		if (record[0] <= fp)
			break;
		fp = record[0];
	}
	return true;
}

static bool is_base(const struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;

	return is_managed(j, s->pc) && s->status == UW_END && !j->walk->has_guess &&
	       s->n_frames > 1;
}

/* To where the function returns to that happens to run, if it does; and walks from there. */
static int begin(struct step_judge *j)
{
	const struct uw_sample *s = &j->walk->sample;
	u64 ras[MAX_BASE];
	u32 n;
	int r = j->cpu->is_stopped ? live_cpu_go_on(j->cpu) : 0;

	usleep(3000);
	if (!r)
		r = stop(j);
	if (!r)
		r = j->kind->walk(j);
	if (r < 0)
		return r;
	if (!is_base(j) || !is_managed(j, s->frames[1].pc))
		return -ETIMEDOUT;
	r = step_run_to(j, s->frames[1].pc, s->sp);
	if (r == -ETIMEDOUT) /* a loop that does not end soon: it is stopped there */
		r = step_look(j);
	if (!r)
		r = j->kind->refresh(j, true);
	if (!r)
		r = j->kind->walk(j);
	if (r || !is_base(j) || !has_frame_pointers(j))
		return r ? r : -ETIMEDOUT;
	for (n = 0; n + 1 < s->n_frames && n < MAX_BASE; n++)
		ras[n] = s->frames[n + 1].pc;
	shadow_begin(&j->shadow, ras, n);
	return 0;
}

static void describe(const struct step_judge *j, char *text, size_t len)
{
	static struct dotnet_name name;
	const struct live_clr *c = j->data;
	const struct uw_sample *s = &j->walk->sample;
	const struct uw_mapping *m = live_clr_mapping(c, s->pc);
	const char *what = m && m->kind == UW_MAP_DOTNET_R2R ? "R2R" : "stub";
	struct dotnet_code code = {};
	char bytes[3 * 8 + 1] = "";

	for (int i = 0; i < 8; i++)
		snprintf(bytes + 3 * i, 4, "%02x ", j->insn[i]);
	name.name[0] = 0;
	if (!dotnet_code_find(c->net.runtime, s->pc, &code) && code.kind != DOTNET_STUB) {
		what = dotnet_tier_name(dotnet_tier_get(c->net.runtime, &code));
		dotnet_name_get(c->net.runtime, &code, &name);
	}
	snprintf(text, len, "%s %u %.50s +%llx %sstatus %u", what ? what : "?", m ? m->info_idx : 0,
		 name.name, code.start_addr ? s->pc - code.start_addr : 0, bytes, s->status);
}

static int refresh(struct step_judge *j, bool is_fresh)
{
	(void)is_fresh;
	return live_clr_read_mappings(j->data);
}

static int walk(struct step_judge *j)
{
	return live_clr_walk(j->data);
}

static int step_case(struct step_judge *j, struct live_clr *c, const char *name, u64 n)
{
	u64 before = j->judged, missed = j->verdicts[STEP_MISS];
	char thread[16];
	int r;

	snprintf(thread, sizeof(thread), "n%s", name);
	r = live_clr_thread(c, thread);
	if (r < 0)
		return r;
	j->cpu = &c->cpu;
	j->target = &c->net.process.target;
	j->walk = &c->walk;
	r = live_cpu_begin(&c->cpu, r);
	if (!r)
		r = live_cpu_attach(&c->cpu);
	for (int i = 0; !r && i < STRETCHES; i++)
		r = step_thread(j, n / STRETCHES + 1);
	printf("%-12s %llu judged, %llu missed%s%s\n", name, j->judged - before,
	       j->verdicts[STEP_MISS] - missed, r ? ": " : "", r ? strerror(-r) : "");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct step_kind dotnet = {
		.begin = begin,
		.is_mapped = is_mapped,
		.is_judged = is_managed,
		.is_last = is_last,
		.describe = describe,
		.refresh = refresh,
		.walk = walk,
	};
	static struct live_clr c;
	static struct step_judge j = { .kind = &dotnet, .data = &c };
	bool is_good;
	int r = 0;
	u64 n;

	if (argc < 5)
		return check_cannot_run("usage: step_dotnet STEPS SKIP_MS NESTING CASE...");
	n = strtoull(argv[1], NULL, 10);
	for (int i = 4; !r && i < argc; i++) {
		r = live_clr_start(&c, argv[3], argv[i]);
		if (!r) {
			usleep((useconds_t)atoi(argv[2]) * 1000);
			r = step_case(&j, &c, argv[i], n / (u64)(argc - 4));
		}
		live_clr_end(&c);
	}
	is_good = step_report(&j, n);
	if (r < 0)
		printf("%s\n", strerror(-r));
	return r < 0 || !is_good;
}
