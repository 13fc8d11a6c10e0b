// SPDX-License-Identifier: BSD-2-Clause

/*
 * Loads the BPF program, owns its memory, and reads samples until the last one. events.c
 * opens the events.
 */

#include "sampler_state.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "../../core/flight_ring.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"

#define RING_LEN_PER_CPU (1u << 20)
#define RING_LEN_MIN (1u << 22)
#define RING_LEN_MAX (1u << 26)
#define COST_ROUNDS 5 /* the result is the minimum of these measurements */

static int say(char *why, size_t len, int err, const char *what)
{
	snprintf(why, len, "%s: %s", what, strerror(-err));
	return err;
}

static int on_record(void *ctx, void *data, size_t len)
{
	const struct uw_sample *sample = data;
	struct drain *d = ctx;

	if (len < offsetof(struct uw_sample, frames) ||
	    len != offsetof(struct uw_sample, frames) + sample->n_frames * sizeof(struct uw_frame))
		return -EBADMSG;
	d->n++;
	d->fn(sample, d->data);
	return 0;
}

static u32 ring_len(u32 n_cpus)
{
	u32 len = RING_LEN_MIN;

	while (len < n_cpus * RING_LEN_PER_CPU && len < RING_LEN_MAX)
		len *= 2;
	return len;
}

/* Return: whether the running kernel has the helper bpf_task_pt_regs() (v5.15). */
static bool has_task_pt_regs(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has = btf && btf__find_by_name_kind(btf, "bpf_task_pt_regs", BTF_KIND_FUNC) > 0;

	btf__free(btf);
	return has;
}

/*
 * The main stack is at the top of the address space, so the highest address bit that the
 * machine uses is set in the address of the stack.
 */
u64 sampler_va_mask(void)
{
	u64 top = (u64)(uintptr_t)__builtin_frame_address(0);

	return ~0ull >> __builtin_clzll(top);
}

/* The kernel refuses to create maps without elements. */
static u32 n_row_pairs(const struct sampler *s)
{
	u64 n = s->config.rows_len / sizeof(struct uw_row_pair);

	return n ? (u32)n : 1;
}

static int map_rows(struct sampler *s)
{
	size_t len = n_row_pairs(s) * sizeof(struct uw_row_pair);
	void *rows = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			  bpf_map__fd(s->program.rows), 0);

	if (rows == MAP_FAILED)
		return -errno;
	s->rows = rows;
	return 0;
}

static void configure(struct sampler *s)
{
	struct uw_config *c = s->program.config;

	c->period_ns = s->uses_cycles || s->config.n_at ? 0 : s->period_ns;
	c->va_mask = sampler_va_mask();
	c->target_mode = s->config.mode;
	c->n_tids = s->config.n_tids;
	c->tids_ns = s->config.tids_ns;
	c->has_task_pt_regs = has_task_pt_regs();
	*s->program.wants_async = s->config.wants_async;
	*s->program.page_shift = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	bpf_map__set_max_entries(s->program.slots, s->n_cpus);
	bpf_map__set_max_entries(s->program.ring, ring_len(s->n_cpus));
	bpf_map__set_max_entries(s->program.rows, n_row_pairs(s));
	if (s->program.flight_rings) {
		*s->program.flight_slot_mask = s->config.flight_slots - 1;
		bpf_map__set_max_entries(s->program.flight_rings, s->n_cpus + 1);
		bpf_map__set_value_size(s->program.flight_rings,
					sizeof(struct flight_ring) +
						s->config.flight_slots *
							sizeof(struct flight_slot));
	}
	if (!s->program.logs)
		return;
	bpf_map__set_max_entries(s->program.logs, s->n_cpus);
	bpf_map__set_max_entries(s->program.log_ring,
				 s->config.captures ? RING_LEN_MAX : RING_LEN_MIN);
}

static int set_targets(struct sampler *s)
{
	u32 zero = 0;

	if (s->config.n_tids)
		memcpy(s->program.tids, s->config.tids, s->config.n_tids * sizeof(u32));
	if (s->config.mode != UW_TARGET_CGROUP)
		return 0;
	return bpf_map_update_elem(bpf_map__fd(s->program.cgroup), &zero, &s->config.cgroup_fd,
				   BPF_ANY);
}

/*
 * The BPF program compares pids of the recorder's PID namespace, so it must know this
 * namespace.
 */
static int find_own_pidns(struct sampler *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	return bpf_prog_test_run_opts(bpf_program__fd(s->program.whoami), &opts);
}

static int open_rings(struct sampler *s, char *why, size_t why_len)
{
	int err = 0;

	s->ring = ring_buffer__new(bpf_map__fd(s->program.ring), on_record, &s->drain, NULL);
	if (!s->ring)
		err = -errno;
	else if (s->program.log_ring)
		err = logs_new(&s->logs, bpf_map__fd(s->program.log_ring));
	return err ? say(why, why_len, err, "cannot map the BPF ring buffer") : 0;
}

static int load_program(struct sampler *s)
{
	int err = s->ops->open(&s->program);

	if (err)
		return err;
	configure(s);
	return s->ops->load(&s->program);
}

static int load(struct sampler *s, char *why, size_t why_len)
{
	int err;

	s->uses_cycles = events_have_cycles(s);
	err = load_program(s);
	if (err && err != -EPERM && s->program.flight_rings) {
		s->ops->close(&s->program); /* Linux 5.10 on arm64 lacks a fence that the rings
					     * need */
		s->ops = &program_plain;
		err = load_program(s);
	}
	if (err)
		return say(why, why_len, err, "cannot load the BPF program (see `unspool doctor`)");
	err = set_targets(s);
	if (err)
		return say(why, why_len, err, "cannot select the cgroup as a target");
	err = map_rows(s);
	if (err)
		return say(why, why_len, err, "cannot map the unwind rows");
	err = find_own_pidns(s);
	if (err)
		return say(why, why_len, err, "cannot run a BPF program");
	return open_rings(s, why, why_len);
}

static int quiet(enum libbpf_print_level level, const char *format, va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

int sampler_new(struct sampler **sampler, const struct sampler_config *c, char *why, size_t why_len)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	int err = -ENOMEM, n_cpus;
	struct sampler *s;

	libbpf_set_print(quiet);
	n_cpus = libbpf_num_possible_cpus();
	if (n_cpus < 0)
		return say(why, why_len, n_cpus, "cannot count the CPUs");
	s = calloc(1, sizeof(*s));
	if (!s)
		return say(why, why_len, err, "sampler");
	s->config = *c;
	s->ops = c->captures	   ? &program_capturing
		 : c->freezes	   ? &program_freezing
		 : c->flight_slots ? &program_recording
				   : &program_plain;
	s->stats_fd = -1;
	s->period_ns = NS_PER_S / c->hz;
	s->n_cpus = (u32)n_cpus;
	s->n_per_cpu = c->n_at ? c->n_at : 1;
	s->event_fds = malloc((size_t)s->n_cpus * s->n_per_cpu * sizeof(int));
	s->links = calloc((size_t)s->n_cpus * s->n_per_cpu, sizeof(*s->links));
	if (s->event_fds)
		memset(s->event_fds, -1, (size_t)s->n_cpus * s->n_per_cpu * sizeof(int));
	if (s->event_fds && s->links) {
		setrlimit(RLIMIT_MEMLOCK, &unlimited); /* before v5.11 it limits maps */
		err = load(s, why, why_len);
	}
	if (err)
		sampler_free(&s);
	else
		*sampler = s;
	return err;
}

void sampler_free(struct sampler **sampler)
{
	struct sampler *s = *sampler;

	if (!s)
		return;
	sampler_stop(s);
	ring_buffer__free(s->ring);
	logs_free(&s->logs);
	if (s->rows)
		munmap(s->rows, n_row_pairs(s) * sizeof(struct uw_row_pair));
	s->ops->close(&s->program);
	free(s->event_fds);
	free(s->links);
	free(s);
	*sampler = NULL;
}

struct tables_memory sampler_tables(struct sampler *s)
{
	return (struct tables_memory){ .processes = s->program.processes,
				       .mappings = s->program.mappings,
				       .v8_builds = s->program.v8_builds,
				       .files = s->program.files,
				       .awaits = s->program.awaits,
				       .wants_awaits = s->config.wants_async };
}

struct row_memory sampler_rows(struct sampler *s)
{
	return (struct row_memory){ .pages = s->program.row_pages,
				    .rules = s->program.rules,
				    .rows = s->rows,
				    .n_rows = (u32)(s->config.rows_len / sizeof(u32)) };
}

int sampler_start(struct sampler *s, char *why, size_t why_len)
{
	s->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	s->is_running = true;
	for (u32 i = 0; i < s->n_cpus * s->n_per_cpu; i++) {
		int err = events_start(s, i);

		if (err)
			return say(why, why_len, err, "cannot sample a CPU (see `unspool doctor`)");
	}
	return 0;
}

static u64 program_ns(const struct sampler *s)
{
	struct bpf_prog_info info = { 0 };
	u32 len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(s->program.on_sample), &info, &len))
		return 0;
	return info.run_time_ns;
}

int sampler_renew(struct sampler *s, u32 cpu)
{
	int err = 0, one;

	if (!s->is_running || cpu >= s->n_cpus)
		return 0;
	for (u32 i = cpu * s->n_per_cpu; i < (cpu + 1) * s->n_per_cpu; i++) {
		events_stop(s, i);
		one = events_start(s, i);
		if (!err)
			err = one;
	}
	return err;
}

u32 sampler_n_cpus(const struct sampler *s)
{
	return s->n_cpus;
}

void sampler_stop(struct sampler *s)
{
	for (u32 i = 0; i < s->n_cpus * s->n_per_cpu && s->event_fds; i++)
		events_stop(s, i);
	s->is_running = false;
	if (s->stats_fd >= 0) {
		s->bpf_ns = program_ns(s);
		close(TAKE_FD(s->stats_fd));
	}
}

int sampler_drain(struct sampler *s, void (*fn)(const struct uw_sample *sample, void *data),
		  void *data)
{
	int err;

	s->drain = (struct drain){ .fn = fn, .data = data };
	err = ring_buffer__consume(s->ring);
	return err < 0 ? err : s->drain.n;
}

const struct uw_log *sampler_log(struct sampler *s, const struct uw_sample *sample)
{
	return s->logs ? logs_find(s->logs, sample) : NULL;
}

struct sampler_counts sampler_counts(const struct sampler *s)
{
	struct sampler_counts sum = { .bpf_ns = s->stats_fd >= 0 ? program_ns(s) : s->bpf_ns };

	for (u32 cpu = 0; cpu < s->n_cpus; cpu++) {
		const volatile struct uw_counters *c =
			&s->program.counters[cpu & (UW_MAX_CPUS - 1)];

		sum.runs += c->runs;
		sum.idle += c->idle;
		sum.exiting += c->exiting;
		sum.foreign += c->foreign;
		sum.unwanted += c->unwanted;
		sum.sent += c->sent;
		sum.no_room += c->no_room;
		sum.missed += c->missed;
	}
	return sum;
}

bool sampler_flight(const struct sampler *s, int *rings_fd, int *control_fd)
{
	if (!s->program.flight_rings)
		return false;
	*rings_fd = bpf_map__fd(s->program.flight_rings);
	*control_fd = bpf_map__fd(s->program.flight_control);
	return true;
}

u64 sampler_flight_cost(const struct sampler *s)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	u32 least = 0;

	for (int i = 0; i < COST_ROUNDS; i++) {
		if (bpf_prog_test_run_opts(bpf_program__fd(s->program.flight_cost), &opts))
			return 0;
		if (!least || opts.retval < least)
			least = opts.retval;
	}
	return least * 1000ull / UW_COST_ENTRIES;
}

bool sampler_uses_cycles(const struct sampler *s)
{
	return s->uses_cycles;
}
