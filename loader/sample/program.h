/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The parts of the opened BPF object. The object has four builds: one records; one records
 * without the flight recorder; one captures all walks; and one captures only walks that
 * freeze the flight recorder. program.c is compiled once for each build.
 */

#include "../../bpf/tables.h"

#include <bpf/libbpf.h>

struct program {
	void *skel;
	struct uw_config *config; /* valid until load() */
	bool *wants_async; /* valid until load() */
	u32 *page_shift; /* valid until load() */
	u32 *tids;
	struct uw_counters *counters;
	struct uw_process *processes;
	struct uw_mapping *mappings;
	struct uw_file *files;
	struct v8_info *v8_builds;
	struct uw_row_page *row_pages;
	struct uw_rule *rules;
	struct dotnet_await *awaits;
	struct bpf_map *slots, *ring, *cgroup, *rows;
	struct bpf_map *logs, *log_ring; /* NULL: this build writes no logs */
	struct bpf_map *flight_rings, *flight_control; /* NULL: no flight recorder */
	u64 *flight_slot_mask; /* valid until load() */
	struct bpf_program *on_sample, *whoami, *flight_cost;
};

struct program_ops {
	/* Return: 0 or a negative errno; the caller calls close() in either case. */
	int (*open)(struct program *p);
	/* After load() the memory of the tables is shared with the program in the kernel. */
	int (*load)(struct program *p);
	void (*close)(struct program *p);
};

extern const struct program_ops program_recording, program_plain, program_capturing,
	program_freezing;
