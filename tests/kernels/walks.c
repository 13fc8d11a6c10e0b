/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Runs the conformance program on the running kernel (raw_tp, BPF_PROG_TEST_RUN, v5.10) over the
 * stacks of stacks.h.
 */

#include "guest.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "stacks.h"

#include CONFORMANCE_SKEL

/* The input of the program (bpf/conformance.bpf.c). */
struct start {
	struct uw_regs regs;
	u64 extent;
	u64 va_mask : 56;
	u64 sample_flags : 8;
};

void guest_say(struct tally *t, const char *program, const struct stack_case *c,
	       const char *differs, const struct uw_sample *sample)
{
	if (c->damage == WRONG_TRUTH)
		differs = !differs ? "comparison blind" : strcmp(differs, "frame") ? differs : NULL;
	printf("%s %s: %s%s (%u frames, status %u, %u reads)\n", program, c->name,
	       differs ? "FAILED: " : "ok", differs ?: "", sample->n_frames, sample->status,
	       sample->n_reads);
	tally_add(t, !differs);
}

static void run_case(const struct stack_case *c, int prog_fd, const struct uw_sample *sample,
		     struct tally *t)
{
	u64 fp = stacks_make(c);
	struct start start = { .regs = { .pc = STACKS_TEXT_ADDR + 16, .sp = fp - 48, .fp = fp },
			       .extent = STACKS_N_MAPPINGS,
			       .va_mask = (1ull << 47) - 1 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &start, .ctx_size_in = sizeof(start));
	int err = bpf_prog_test_run_opts(prog_fd, &opts);

	guest_say(t, "test run", c, err ? strerror(-err) : stacks_compare(c, sample, false),
		  sample);
}

/*
 * Runs all cases on the first CPU; the program stores its result in the map's
 * first element.
 */
static int run_cases(struct conformance_bpf *skel, struct tally *t)
{
	const struct uw_state *slot = mmap(NULL, sizeof(*slot), PROT_READ, MAP_SHARED,
					   bpf_map__fd(skel->maps.uw_slots), 0);
	const struct stack_tables tables = { .mappings = skel->bss->uw_mappings,
					     .row_pages = skel->bss->uw_row_pages,
					     .rules = skel->bss->uw_rules,
					     .v8_builds = skel->bss->uw_v8_builds,
					     .rows_fd = bpf_map__fd(skel->maps.uw_rows) };
	cpu_set_t first;
	int err;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (slot == MAP_FAILED || sched_setaffinity(0, sizeof(first), &first))
		return -errno;
	err = stacks_fill(&tables, (u64)run_cases);
	for (int i = 0; !err && i < n_stack_cases; i++)
		run_case(&stack_cases[i], bpf_program__fd(skel->progs.uw_run_raw_tp), &slot->sample,
			 t);
	return err;
}

void walks_run(struct tally *t)
{
	struct conformance_bpf *skel = conformance_bpf__open_and_load();
	int err = skel ? run_cases(skel, t) : -errno;

	if (err) {
		printf("conformance FAILED: the BPF program did not start: %s\n", strerror(-err));
		tally_add(t, 0);
	}
	conformance_bpf__destroy(skel);
}
