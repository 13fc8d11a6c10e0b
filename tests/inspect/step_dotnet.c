/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The walk at every instruction of managed code (step_judge.h): threads of live .NET
 * processes, each of which runs one case of fixtures/dotnet/nesting.cs.
 *
 *	step_dotnet STEPS SKIP_MS NESTING CASE...
 *
 * Native code calls the case's loop repeatedly (fixtures/dotnet/nesting.turn.cs). The shadow stack
 * begins at a breakpoint on that call. At the breakpoint the true stack is one return address, in
 * lfind(). The callers of lfind() are not judged, but each walk must reach the thread's entry
 * point.
 *
 * Steps in methods, precompiled methods and stubs are judged. A case that throws is judged up to
 * the throw: the runtime leaves frames without returning, and the shadow stack restarts at the next
 * call. Stepping begins after SKIP_MS. After half of the steps of each case, the program first runs
 * freely again, so that more than one part of the program is covered. Misses are counted by method
 * or kind of stub and listed with the bytes at pc.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"
#include "live_clr.h"
#include "step_judge.h"
#include "step_spoil.h"

#define STRETCHES 2
#define SKIP_BITS 14 /* OSR replaces a loop on the stack after 1,000 iterations */

static bool is_managed(const struct step_judge *j, u64 pc)
{
	const struct uw_mapping *m = live_clr_mapping(j->data, pc);

	return m && m->kind != UW_MAP_NATIVE;
}

static bool is_mapped(const struct step_judge *j, u64 pc)
{
	const struct uw_mapping *m = live_clr_mapping(j->data, pc);

	/*
	 * A stub of unknown kind may be in a range of code that the runtime has allocated
	 * meanwhile.
	 */
	return m && (m->kind != UW_MAP_DOTNET_STUBS || m->info_idx != DOTNET_STUB_HELPER);
}

/* Is @ra the initial return address, whose callers are known only from a walk? */
static bool is_last(const struct step_judge *j, u64 ra)
{
	return ra == j->shadow.entries[0].ra;
}

static int stop(struct step_judge *j)
{
	int r = live_cpu_interrupt(j->cpu);

	if (!r)
		r = j->kind->refresh(j, true);
	return r ? r : step_read_state(j);
}

static int begin(struct step_judge *j)
{
	const struct live_clr *c = j->data;
	u64 ra = 0;
	int r = stop(j);

	if (!r)
		r = step_run_to(j, c->enter_addr, 0);
	if (!r)
		r = stop(j);
	if (r)
		return r;
	target_read(j->target, j->cpu->regs.sp, &ra, sizeof(ra));
	ra = shadow_called_from(&j->cpu->regs, ra);
	if (!ra || is_managed(j, ra))
		return -EPROTO;
	shadow_begin(&j->shadow, &ra, 1);
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

/* Keeps only one frame of an incomplete walk, so that it is counted as a miss. */
static int walk(struct step_judge *j)
{
	struct live_clr *c = j->data;
	int r = live_clr_walk(c);

	if (!r && (c->walk.sample.status != UW_END || c->walk.has_guess))
		c->walk.sample.n_frames = 1;
	if (!r)
		j->is_spoiled = step_spoil(&c->walk.sample, NULL, NULL);
	return r;
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
	if (!c->enter_addr)
		return -EPROTO;
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
		.skip_bits = SKIP_BITS,
	};
	static struct live_clr c;
	static struct step_judge j = { .kind = &dotnet, .data = &c };
	bool is_good;
	int r = 0;
	u64 n;

	if (argc < 5)
		return check_cannot_run("usage: step_dotnet STEPS SKIP_MS NESTING CASE...");
	setenv("UNSPOOL_TURNS", "1", true);
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
