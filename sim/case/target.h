/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The input of a walk. It consists of the memory, the tables that user space maintains for the
 * process, and the registers with which the walk starts. All engines get the same target.
 */

#include "../../core/native/row.h"
#include "../../core/uw_state.h"
#include "../../core/v8/v8_info.h"
#include "../mem/mem.h"

/* Sizes of the tables in every engine. */
#define SIM_MAX_ROW_PAGES 4096
#define SIM_MAX_ROWS (1u << 18)
#define SIM_MAX_RULES 4096

struct sim_target {
	struct sim_mem *mem; /* owned */
	const struct uw_mapping *mappings; /* the pool of mappings, into which extent points */
	const struct v8_info *v8_builds;
	const struct uw_row_page *row_pages; /* sorted by module and page */
	const u32 *rows; /* the pool of rows, into which row_pages point */
	const struct uw_rule *rules;
	const struct dotnet_await *awaits; /* used only by the native engine */
	u32 n_mappings;
	u32 n_v8_builds;
	u32 n_row_pages;
	u32 n_rows;
	u32 n_rules;
	u32 n_awaits;
	struct uw_regs regs;
	u64 extent; /* as in struct uw_process; 0: the process has no tables */
	u64 va_mask;
	u64 process_key; /* as in struct uw_state; 0 unless a recorded walk is repeated */
	u32 tid; /* thread id, which is the key of the thread's entry in awaits */
	u8 sample_flags; /* enum uw_sample_flags to set before the walk */
};

/* Sets the fields of @u that a driver of the core sets before a walk. */
UW_INLINE void sim_walk_start(struct uw_state *u, const struct sim_target *target)
{
	u->regs = target->regs;
	u->va_mask = target->va_mask;
	u->extent = target->extent;
	u->has_tables = target->extent != 0;
	u->process_key = target->process_key;
	u->sample.tid = target->tid;
	u->sample.flags = target->sample_flags;
	u->sample.n_frames = 0;
	u->sample.n_kernel = 0;
}

/**
 * struct sim_arch - the core, built for an architecture
 * @walk:	unwind @target natively; the result is in u->sample. The previous contents of
 *		@u do not matter. A thread makes one walk at a time.
 * @ra_slot:	arch_ra_slot() of this architecture
 * @v8_is_window:	arch_v8_may_lack_frame()
 * @v8_ra_slot:	arch_v8_ra_slot(), which also reads @v8_before bytes before pc
 */
struct sim_arch {
	const char *name; /* "x86_64", "arm64" */
	void (*walk)(struct uw_state *u, const struct sim_target *target);
	int (*ra_slot)(u32 insn);
	bool (*v8_is_window)(u32 insn);
	int (*v8_ra_slot)(const u8 *code);
	u32 v8_before;
};

extern const struct sim_arch sim_arch_x86_64;
extern const struct sim_arch sim_arch_arm64;
