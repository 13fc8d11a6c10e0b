/* SPDX-License-Identifier: BSD-2-Clause */

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
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "../../core/flight_ring.h"
#include "stacks.h"

#include <fault.h>

#include UNSPOOL_SKEL

struct run {
	struct unspool_bpf *skel;
	struct ring_buffer *ring;
	u64 fp; /* of the stack that is to be walked; this thread faults at other times, too */
	struct uw_sample last; /* of a fault there */
	int n; /* how many since arch_fault() */
};

static int on_sample(void *ctx, void *data, size_t len)
{
	const struct uw_sample *sample = data;
	struct run *r = ctx;

	if (len < offsetof(struct uw_sample, frames) || len > sizeof(r->last))
		return -EBADMSG;
	if (sample->fp != r->fp)
		return 0;
	memcpy(&r->last, data, len);
	r->n++;
	return 0;
}

/* One fault over the stack at @fp; the sample of it is in @r->last. */
static int sample_once(struct run *r, u64 fp, char *page)
{
	int err;

	if (madvise(page, 4096, MADV_DONTNEED))
		return -errno;
	ring_buffer__consume(r->ring);
	r->fp = fp;
	r->n = 0;
	arch_fault(fp, page);
	err = ring_buffer__consume(r->ring);
	return err < 0 ? err : r->n == 1 ? 0 : -ENODATA;
}

/* Which process this is, the program is told by its own first sample. */
static void set_process(struct run *r)
{
	struct uw_process *p = &r->skel->bss->uw_processes[uw_process_hash(r->last.pid)];

	*p = (struct uw_process){ .pid = r->last.pid,
				  .flags = UW_PROC_USED | UW_PROC_TABLES,
				  .start_ns = r->last.start_ns,
				  .exec_id = UW_EXEC_UNKNOWN,
				  .extent = STACKS_N_MAPPINGS };
}

static int run_cases(struct run *r, char *page, struct tally *t)
{
	const struct stack_tables tables = { .mappings = r->skel->bss->uw_mappings,
					     .row_pages = r->skel->bss->uw_row_pages,
					     .rules = r->skel->bss->uw_rules,
					     .v8_builds = r->skel->bss->uw_v8_builds,
					     .rows_fd = bpf_map__fd(r->skel->maps.uw_rows) };
	int err = stacks_fill(&tables, (u64)arch_fault);

	if (!err)
		err = sample_once(r, stacks_make(&stack_cases[0]), page);
	if (err)
		return err;
	set_process(r);
	for (int i = 0; i < n_stack_cases; i++) {
		const struct stack_case *c = &stack_cases[i];

		err = sample_once(r, stacks_make(c), page);
		guest_say(t, "page fault", c,
			  err ? strerror(-err) : stacks_compare(c, &r->last, true), &r->last);
	}
	return 0;
}

static struct bpf_link *attach(struct unspool_bpf *skel)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = 1,
					.exclude_kernel = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? NULL : bpf_program__attach_perf_event(skel->progs.uw_on_sample, fd);
}

static int start(struct run *r)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	r->skel->rodata->uw_config.target_mode = UW_TARGET_ALL;
	r->skel->rodata->uw_config.va_mask = (1ull << 47) - 1;
	bpf_map__set_max_entries(r->skel->maps.uw_slots, libbpf_num_possible_cpus());
	err = unspool_bpf__load(r->skel);
	if (!err)
		err = bpf_prog_test_run_opts(bpf_program__fd(r->skel->progs.uw_whoami), &opts);
	if (err)
		return err;
	r->ring = ring_buffer__new(bpf_map__fd(r->skel->maps.uw_ring), on_sample, r, NULL);
	return r->ring ? 0 : -errno;
}

void samples_run(struct tally *t)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	static struct run r;
	struct bpf_link *link = NULL;
	int err;

	r.skel = unspool_bpf__open();
	err = r.skel && page != MAP_FAILED ? start(&r) : -errno;
	if (!err && !(link = attach(r.skel)))
		err = -errno;
	if (!err)
		err = run_cases(&r, page, t);
	if (err) {
		printf("page fault FAILED to start: %s\n", strerror(-err));
		tally_add(t, 0);
	}
	bpf_link__destroy(link);
	ring_buffer__free(r.ring);
	unspool_bpf__destroy(r.skel);
}
