// SPDX-License-Identifier: BSD-2-Clause

/*
 * Replays the walks of a pack on the running kernel. The conformance program of
 * a walk's architecture runs the walk (BPF_PROG_TEST_RUN). The production
 * program also runs the walks of this machine's architecture: a process causes
 * a page fault at the walk's pc, with the walk's registers. The results must
 * equal those of the native engine in the pack, byte for byte: the header,
 * which has the number of reads, and the frames. The results of test runs must
 * also have the same address, length and result of each read.
 */

#include "cases.h"
#include "guest.h"

#include "../../sim/engine/bpf_object.h"
#include "../../sim/engine/compare.h"
#include "../../sim/engine/kernel.h"
#include "../../sim/engine/target_process.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/libbpf.h>

#include "sampler.h"

#include <fault.h>

struct cases {
	struct sim_session *sessions[2]; /* x86-64, arm64 */
	struct sampler sampler;
	struct sim_process process; /* the process that faults */
	struct sim_bpf tables; /* tables of the sampler */
	u32 no_log; /* always 0, as the sampler does not log reads */
	u64 va_mask; /* address mask of all walks by the sampler */
	u32 n_runs, n_faults, n_never; /* walks; n_never: that can't page fault */
	u64 n_bytes; /* bytes compared */
	struct sim_walk got;
};

static void say_wrong(struct tally *t, const char *how, const char *name, const char *why)
{
	printf("%s %s: FAILED: %s\n", how, name, why);
	tally_add(t, 0);
}

static void compare(struct cases *c, const struct packed_walk *w, const char *how, struct tally *t)
{
	struct sim_difference d;
	char words[384];

	if (sim_walk_compare(w->found, &c->got, &d)) {
		c->n_bytes += d.n_compared;
		tally_add(t, 1);
		return;
	}
	sim_difference_words(&d, w->found, &c->got, words, sizeof(words));
	say_wrong(t, how, w->head.name, words);
}

static void run_one(struct cases *c, const struct packed_walk *w, struct tally *t)
{
	struct sim_session *s = c->sessions[w->head.is_arm64];
	int err = s->engine->walk(s, &w->target, &c->got);

	c->n_runs++;
	if (err)
		say_wrong(t, "test run", w->head.name, s->why);
	else
		compare(c, w, "test run", t);
}

/*
 * True if no page fault can happen at this pc, or if the case needs another
 * address mask: the program has a single one.
 */
static bool never_faults(const struct cases *c, const struct packed_walk *w)
{
	return w->head.va_mask != c->va_mask || w->head.regs.pc > w->head.va_mask ||
	       (w->head.is_arm64 && w->head.regs.pc % 4);
}

/* The production program reports only the number of reads. */
static void take_sample(struct cases *c)
{
	const struct uw_sample *s = &c->sampler.last;

	memcpy(&c->got.state.sample, s,
	       offsetof(struct uw_sample, frames) + s->n_frames * sizeof(s->frames[0]));
	c->got.log.n = 0;
}

/*
 * A missing code page can fault twice: first because it is not mapped, and then
 * because it is not executable.
 */
static int fault(struct cases *c, const struct packed_walk *w)
{
	struct helper_reply reply = { 0 };
	int err;

	sampler_arm(&c->sampler, w->head.regs.sp, w->head.regs.fp);
	err = sim_process_walk(&c->process, HELPER_FAULT, &w->target, w->regions, w->head.n_regions,
			       &reply);
	if (!err)
		err = reply.err;
	if (!err)
		err = sampler_take(&c->sampler);
	return err < 0 ? err : err ? 0 : -ENODATA;
}

static void fault_one(struct cases *c, const struct packed_walk *w, struct tally *t)
{
	u32 n_reads;
	int err;

	if (never_faults(c, w)) {
		c->n_never++;
		return;
	}
	c->n_faults++;
	err = sim_bpf_set_tables(&c->tables, &w->target);
	/* The first fault identifies the process. */
	if (!err && !c->sampler.last.pid)
		err = fault(c, w);
	if (!err) {
		sampler_set_process(&c->sampler, w->head.extent);
		err = fault(c, w);
	}
	if (err) {
		say_wrong(t, "page fault", w->head.name, strerror(-err));
		return;
	}
	take_sample(c);
	n_reads = w->found->log.n;
	w->found->log.n = 0;
	compare(c, w, "page fault", t);
	w->found->log.n = n_reads;
}

/* Checks that the comparison detects a changed frame. */
static void check_comparison(struct packed_walk *w, struct cases *c, struct tally *t)
{
	struct sim_session *s = c->sessions[w->head.is_arm64];
	struct sim_difference d;
	int err;

	w->found->state.sample.frames[0].a ^= 8;
	err = s->engine->walk(s, &w->target, &c->got);
	tally_add(t, !err && !sim_walk_compare(w->found, &c->got, &d) && d.n_bytes == 1);
	w->found->state.sample.frames[0].a ^= 8;
}

static int open_sampler(struct cases *c, u64 va_mask)
{
	struct unspool_bpf *skel;
	size_t len = SIM_MAX_ROWS * sizeof(u32);
	int err = sim_process_start(sim_kernel_helper, -1, sched_getcpu(), &c->process);

	if (!err)
		err = sampler_open(c->process.pid, va_mask, len / sizeof(struct uw_row_pair),
				   &c->sampler);
	if (err)
		return err;
	c->va_mask = va_mask;
	skel = c->sampler.skel;
	c->tables = (struct sim_bpf){ .mappings = skel->bss->uw_mappings,
				      .v8_builds = skel->bss->uw_v8_builds,
				      .row_pages = skel->bss->uw_row_pages,
				      .rules = skel->bss->uw_rules,
				      .n_reads = &c->no_log };
	c->tables.rows = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			      bpf_map__fd(skel->maps.uw_rows), 0);
	return c->tables.rows == MAP_FAILED ? -errno : 0;
}

static int run_walk(struct cases *c, struct packed_walk *w, struct tally *t)
{
	int err = 0;

	if (!c->n_runs)
		check_comparison(w, c, t);
	run_one(c, w, t);
	if (w->head.is_arm64 != ARCH_IS_ARM64)
		return 0;
	if (!c->va_mask)
		err = open_sampler(c, w->head.va_mask);
	if (!err)
		fault_one(c, w, t);
	return err;
}

static int run_all(struct cases *c, const char *path, struct tally *t)
{
	struct pack p;
	struct packed_walk *w;
	int err = pack_open(path, &p);

	for (u32 i = 0; i < p.n_walks && !err; i++) {
		err = pack_next(&p, &w);
		if (err)
			break;
		err = run_walk(c, w, t);
		packed_walk_free(&w);
	}
	return err;
}

void cases_run(const char *path, struct tally *t)
{
	static struct cases c = { .process.socket = -1 };
	int err = sim_kernel_open(&sim_arch_x86_64, sim_kernel_x86_64, &c.sessions[0]);

	if (!err)
		err = sim_kernel_open(&sim_arch_arm64, sim_kernel_arm64, &c.sessions[1]);
	if (!err)
		err = run_all(&c, path, t);
	if (err) {
		printf("cases FAILED: the replay of the cases did not start: %s\n", strerror(-err));
		tally_add(t, 0);
	}
	printf("cases: %u walks were started by a test run, %u by a page fault (%u can't fault), "
	       "and %llu bytes are equal\n",
	       c.n_runs, c.n_faults, c.n_never, c.n_bytes);
	sim_process_end(&c.process);
	sampler_close(&c.sampler);
	for (int i = 0; i < 2; i++)
		if (c.sessions[i])
			c.sessions[i]->engine->close(c.sessions[i]);
}
