/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A case: one target, what is to be walked in it, and the truth about it. Made from
 * a fixture (text), from a compiled program, from a recording.
 *
 *	hand-laid   one stop: target.regs; truth is written down
 *	recorded    one stop of a real process, and the walk that was made there
 *	executed    the CPU runs the case's code from target.regs to exit_addr; every
 *	            instruction is a stop; truth is the shadow stack of its calls
 */

#include "target.h"

struct case_file;

struct sim_function {
	const char *name;
	u64 start_addr, len;
};

/*
 * Code in which its function has no frame of its own, as the fixture tells, not the
 * walk: a miss in it is counted apart.
 */
struct sim_window {
	const char *what; /* "prologue", "epilogue", "frameless" */
	u64 start_addr, len;
};

/* What a walk at one stop must find. */
struct sim_truth {
	const u64 *pcs; /* leaf first: pc, then return addresses */
	const u8 *reasons; /* of each frame, enum uw_status; NULL: nothing is said of them */
	u32 n;
};

struct sim_case {
	char *name; /* "native/chain.yaml", "compiled/qsort-gcc-O2-fp" */
	const struct sim_arch *arch;
	struct sim_target target;
	struct sim_function *functions; /* sorted by address */
	struct sim_window *windows; /* sorted by address; NULL: the fixture tells of none */
	u32 n_functions, n_windows;
	bool is_executed;
	u64 exit_addr; /* executed: the code ends when pc gets here */
	bool ends_inside; /* executed: calls may be left that did not return */
	u64 max_insns; /* executed: a fixture that runs longer is an error */
	struct sim_truth truth; /* hand-laid; recorded: pcs may be NULL, it is not known */
	u8 status; /* hand-laid: enum uw_status to end with */
	const struct case_file *recorded; /* NULL: none; its walk, if any, is to be repeated */
};
