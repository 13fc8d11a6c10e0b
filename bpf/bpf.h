/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* Common part of all BPF sources: helper functions, and the tables as maps. */

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include "tables.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

const volatile bool uw_wants_async = true; /* the loader sets this before it loads the programs */

struct uw_process uw_processes[UW_MAX_PROCESSES];
struct uw_mapping uw_mappings[UW_MAX_MAPPINGS];
struct v8_info uw_v8_builds[UW_MAX_V8_BUILDS];
struct uw_row_page uw_row_pages[UW_MAX_ROW_PAGES];
struct uw_rule uw_rules[UW_MAX_RULES];
struct dotnet_await uw_awaits[UW_MAX_AWAITS];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the loader computes this number from the memory budget */
	__type(key, u32);
	__type(value, struct uw_row_pair);
} uw_rows SEC(".maps");
