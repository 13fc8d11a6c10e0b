/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Runs a fixture's code in Unicorn, as it is and with nothing of the simulator
 * between, and keeps the stack of its calls as the truth.
 */

#include "../../sim/case.h"

#define RUN_MAX_DEPTH 256

struct run {
	const struct sim_case *c;
	bool is_arm64;
	u64 truth[RUN_MAX_DEPTH]; /* return addresses, outermost first */
	u32 depth, max_depth;
	u32 n_insns, n_calls;
	u32 n_wrong_returns; /* that went elsewhere than their call said */
	u64 end_pc, end_sp;
	const char *error; /* NULL: it got to its end */
	/* Called before each instruction; is_call: it is one. */
	void (*at_insn)(struct run *run, const struct uw_regs *regs, bool is_call, void *data);
	void *data;
};

/**
 * run_code() - run the case's code from its registers to its exit address
 */
void run_code(const struct sim_case *c, struct run *run);
