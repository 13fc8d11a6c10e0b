// SPDX-License-Identifier: BSD-2-Clause

/*
 * This file is compiled once for each build of the BPF object. PROGRAM_SKEL is its skeleton,
 * PROGRAM its name; PROGRAM_HAS_FLIGHT is defined if it has a flight recorder.
 */

#include "program.h"

#include "../../core/flight_ring.h"

#include PROGRAM_SKEL

#include <errno.h>

static void find_memory(struct program *p)
{
	struct unspool_bpf *skel = p->skel;

	p->config = (struct uw_config *)&skel->rodata->uw_config;
	p->wants_async = (bool *)&skel->rodata->uw_wants_async;
	p->page_shift = (u32 *)&skel->rodata->uw_page_shift;
	p->tids = skel->bss->uw_tids;
	p->counters = skel->bss->uw_counters;
	p->processes = skel->bss->uw_processes;
	p->mappings = skel->bss->uw_mappings;
	p->files = skel->bss->uw_files;
	p->v8_builds = skel->bss->uw_v8_builds;
	p->row_pages = skel->bss->uw_row_pages;
	p->rules = skel->bss->uw_rules;
	p->awaits = skel->bss->uw_awaits;
#ifdef PROGRAM_HAS_FLIGHT
	p->flight_rings = skel->maps.flight_rings;
	p->flight_control = skel->maps.data_flight;
	p->flight_slot_mask = (u64 *)&skel->rodata->flight_slot_mask;
#endif
}

static int program_open(struct program *p)
{
	struct unspool_bpf *skel = unspool_bpf__open();

	if (!skel)
		return -errno;
	*p = (struct program){
		.skel = skel,
		.slots = skel->maps.uw_slots,
		.ring = skel->maps.uw_ring,
		.cgroup = skel->maps.uw_cgroup,
		.rows = skel->maps.uw_rows,
		.logs = bpf_object__find_map_by_name(skel->obj, "uw_logs"),
		.log_ring = bpf_object__find_map_by_name(skel->obj, "uw_log_ring"),
		.on_sample = skel->progs.uw_on_sample,
		.whoami = skel->progs.uw_whoami,
		.flight_cost = skel->progs.uw_flight_cost,
	};
	find_memory(p);
	return 0;
}

static int program_load(struct program *p)
{
	int err = unspool_bpf__load(p->skel);

	if (!err)
		find_memory(p);
	return err;
}

static void program_close(struct program *p)
{
	unspool_bpf__destroy(p->skel);
	p->skel = NULL;
}

const struct program_ops PROGRAM = { program_open, program_load, program_close };
