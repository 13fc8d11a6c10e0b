/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* What every BPF source starts from: helpers, and the tables as maps. */

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>

#include "tables.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

struct uw_process uw_processes[UW_MAX_PROCESSES];
struct uw_mapping uw_mappings[UW_MAX_MAPPINGS];
struct v8_info uw_v8_builds[UW_MAX_V8_BUILDS];
