/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The BPF object, opened: its parts by name. There are four builds of it: the one that
 * records, the same without the flight recorder, the one that captures, and the one that
 * captures what freezes the flight recorder; program.c is compiled once for each.
 */

#include "../../bpf/tables.h"

#include <bpf/libbpf.h>

struct program {
	void *skel;
	struct uw_config *config; /* until it is loaded */
	bool *wants_async; /* until it is loaded */
	u32 *page_shift; /* until it is loaded */
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
	struct bpf_map *logs, *log_ring; /* NULL: it keeps none */
	struct bpf_map *flight_rings, *flight_control; /* NULL: it has no flight recorder */
	u64 *flight_slot_mask; /* until it is loaded */
	struct bpf_program *on_sample, *whoami, *flight_cost;
};

struct program_ops {
	/* 0 or a negative errno; what the program was afterwards ends with close(). */
	int (*open)(struct program *p);
	/* After this the memory of the tables is that of the program in the kernel. */
	int (*load)(struct program *p);
	void (*close)(struct program *p);
};

extern const struct program_ops program_recording, program_plain, program_capturing,
	program_freezing;
