// SPDX-License-Identifier: BSD-2-Clause

/*
 * The production program on the running kernel, as a sample runs it, but at an instruction
 * of our choice: each page fault of this thread is an event. The frame pointer is made
 * to lead to a stack of stacks.h, and then a page is touched that is not there.
 *
 *	arch_fault()         frame 0: this program's, no caller pushed
 *	  fp -> slots[0]     frame 1 on: as made
 */

#include "guest.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/libbpf.h>

#include "sampler.h"
#include "stacks.h"

#include <fault.h>

/* One fault over the stack at @fp; the sample of it is in @s->last. */
static int sample_once(struct sampler *s, u64 fp, char *page)
{
	int n;

	if (madvise(page, 4096, MADV_DONTNEED))
		return -errno;
	sampler_arm(s, fp - ARCH_FAULT_SP, fp);
	arch_fault(fp, page);
	n = sampler_take(s);
	return n < 0 ? n : n == 1 ? 0 : -ENODATA;
}

static int run_cases(struct sampler *s, char *page, struct tally *t)
{
	const struct stack_tables tables = { .mappings = s->skel->bss->uw_mappings,
					     .row_pages = s->skel->bss->uw_row_pages,
					     .rules = s->skel->bss->uw_rules,
					     .v8_builds = s->skel->bss->uw_v8_builds,
					     .rows_fd = bpf_map__fd(s->skel->maps.uw_rows) };
	int err = stacks_fill(&tables, (u64)arch_fault);

	if (!err)
		err = sample_once(s, stacks_make(&stack_cases[0]), page);
	if (err)
		return err;
	sampler_set_process(s, STACKS_N_MAPPINGS);
	for (int i = 0; i < n_stack_cases; i++) {
		const struct stack_case *c = &stack_cases[i];

		err = sample_once(s, stacks_make(c), page);
		guest_say(t, "page fault", c,
			  err ? strerror(-err) : stacks_compare(c, &s->last, true), &s->last);
	}
	return 0;
}

void samples_run(struct tally *t)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct sampler s;
	int err = page == MAP_FAILED ? -errno : sampler_open(0, (1ull << 47) - 1, 1, &s);

	if (!err)
		err = run_cases(&s, page, t);
	if (err) {
		printf("page fault FAILED to start: %s\n", strerror(-err));
		tally_add(t, 0);
	}
	sampler_close(&s);
}
