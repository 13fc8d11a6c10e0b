/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A case: a target, and the stack that a walk of it must find. Cases are made from fixtures
 * (text), compiled programs and recordings.
 *
 *	hand-laid   one stop: target.regs; the case contains the true stack
 *	recorded    one stop of a real process, and the walk that was made there
 *	executed    the CPU runs the case's code from target.regs to exit_addr; every
 *	            instruction is a stop; the true stack is the shadow stack of its calls
 */

#include "target.h"

struct case_file;

struct sim_function {
	const char *name;
	u64 start_addr, len;
};

/*
 * A range of code whose function has no frame of its own, as stated by the fixture and not by the
 * walk. A sweep counts misses in such a range separately.
 */
struct sim_window {
	const char *what; /* "prologue", "epilogue", "frameless" */
	u64 start_addr, len;
};

/* The stack that a walk at one stop must find. */
struct sim_truth {
	const u64 *pcs; /* leaf first: pc, then return addresses */
	const u8 *reasons; /* enum uw_status of each frame; NULL: not checked */
	u32 n;
};

struct sim_case {
	char *name; /* "native/chain.yaml", "compiled/qsort-gcc-O2-fp" */
	const struct sim_arch *arch;
	struct sim_target target;
	struct sim_function *functions; /* sorted by address */
	struct sim_window *windows; /* sorted by address; NULL: the fixture has none */
	u32 n_functions, n_windows;
	bool is_executed;
	u64 exit_addr; /* executed: the code ends when pc gets here */
	bool ends_inside; /* executed: some calls may not have returned at the end */
	u64 max_insns; /* executed: a longer run is an error */
	struct sim_truth truth; /* hand-laid and recorded; if pcs is NULL, the truth is unknown */
	u8 status; /* hand-laid: enum uw_status at the end of the walk */
	const struct case_file
		*recorded; /* NULL: none; if it contains a walk, that walk is repeated */
};
