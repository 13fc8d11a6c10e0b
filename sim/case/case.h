/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A case: a target, and the stack that a walk of the target must find. Cases are made from
 * fixtures (text), compiled programs and recordings.
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
 * A range of code in which the function has no frame. The fixture states this; the walk does not
 * know it. A sweep counts misses in such a range separately.
 */
struct sim_window {
	const char *what; /* "prologue", "epilogue", "frameless", "shared" */
	u64 start_addr, len;
	bool is_shared; /* the code works on its caller's frame; both are one frame of the truth */
};

/* The true stack at one stop, which a walk must find. */
struct sim_truth {
	const u64 *pcs; /* leaf first: the leaf's pc, then return addresses */
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
	u64 exit_addr; /* executed: the case ends when pc reaches this address */
	bool ends_inside; /* executed: at the end, some calls may not have returned */
	u64 max_insns; /* executed: if a run has more instructions than this, the case is in
			* error */
	struct sim_truth truth; /* hand-laid, recorded: the true stack; if truth.pcs is NULL, the
				 * true stack is unknown */
	u8 status; /* hand-laid: enum uw_status at the end of the walk */
	/*
	 * recorded: the file; if the file contains a walk, this walk is repeated. NULL: the case is
	 * not recorded.
	 */
	const struct case_file *recorded;
};
