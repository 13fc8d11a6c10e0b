// SPDX-License-Identifier: BSD-2-Clause

#include "sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static int on_sample(void *ctx, void *data, size_t len)
{
	const struct uw_sample *sample = data;
	struct sampler *s = ctx;

	if (len < offsetof(struct uw_sample, frames) || len > sizeof(s->last))
		return -EBADMSG;
	if (sample->fp != s->fp || sample->sp != s->sp)
		return 0;
	if (!s->n++)
		memcpy(&s->last, data, len);
	return 0;
}

static int load(struct sampler *s, u64 va_mask, u32 n_row_pairs)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	s->skel->rodata->uw_config.target_mode = UW_TARGET_ALL;
	s->skel->rodata->uw_config.va_mask = va_mask;
	bpf_map__set_max_entries(s->skel->maps.uw_slots, libbpf_num_possible_cpus());
	bpf_map__set_max_entries(s->skel->maps.uw_rows, n_row_pairs);
	err = unspool_bpf__load(s->skel);
	if (!err)
		err = bpf_prog_test_run_opts(bpf_program__fd(s->skel->progs.uw_whoami), &opts);
	return err;
}

static int attach(struct sampler *s, pid_t pid)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = 1,
					.exclude_kernel = 1 };
	int fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	s->link = fd < 0 ? NULL : bpf_program__attach_perf_event(s->skel->progs.uw_on_sample, fd);
	return s->link ? 0 : -errno;
}

int sampler_open(pid_t pid, u64 va_mask, u32 n_row_pairs, struct sampler *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	out->skel = unspool_bpf__open();
	err = out->skel ? load(out, va_mask, n_row_pairs) : -errno;
	if (err)
		return err;
	out->ring = ring_buffer__new(bpf_map__fd(out->skel->maps.uw_ring), on_sample, out, NULL);
	return out->ring ? attach(out, pid) : -errno;
}

void sampler_arm(struct sampler *s, u64 sp, u64 fp)
{
	ring_buffer__consume(s->ring);
	s->sp = sp;
	s->fp = fp;
	s->n = 0;
}

int sampler_take(struct sampler *s)
{
	int err = ring_buffer__consume(s->ring);

	return err < 0 ? err : s->n;
}

/*
 * Empties the caches. Otherwise entries of an earlier walk at the same
 * addresses would save this walk some reads.
 */
static void forget_recipes(const struct sampler *s)
{
	const struct bpf_map *slots = s->skel->maps.uw_slots;
	void *none = calloc(1, bpf_map__value_size(slots));

	for (u32 cpu = 0; none && cpu < bpf_map__max_entries(slots); cpu++)
		bpf_map_update_elem(bpf_map__fd(slots), &cpu, none, BPF_ANY);
	free(none);
}

void sampler_set_process(struct sampler *s, u64 extent)
{
	struct uw_process *p = &s->skel->bss->uw_processes[uw_process_hash(s->last.pid)];

	forget_recipes(s);
	*p = (struct uw_process){ .pid = s->last.pid,
				  .flags = UW_PROC_USED | (extent ? UW_PROC_TABLES : 0),
				  .start_ns = s->last.start_ns,
				  .exec_id = UW_EXEC_UNKNOWN,
				  .extent = extent };
}

void sampler_close(struct sampler *s)
{
	bpf_link__destroy(s->link);
	ring_buffer__free(s->ring);
	unspool_bpf__destroy(s->skel);
}
