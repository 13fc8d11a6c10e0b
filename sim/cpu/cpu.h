/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The CPU: executes a case's code over the case's own memory, and stops before
 * each instruction with the truth about the stack.
 *
 *	case memory (sim/mem image) <--- windows --- Unicorn
 *	                                                |
 *	calls push, returns pop:  shadow stack <--- each instruction
 *
 * The truth comes from what calls and returns did, never from memory. The code
 * starts as an outermost frame: no caller lies above it, and there it ends. What
 * could make the shadow stack wrong is refused: a return to elsewhere, or by a jump; a
 * call that never returns; a far call, or whatever else changes the CPU's mode.
 *
 * On arm64 pointer authentication signs for real, with top-byte-ignore as Linux
 * sets it: bits 54:48 of a signed return address are its signature.
 */

#include "../case/case.h"
#include "../case/error.h"

/* Calls nest no deeper; a case that does is an error. */
#define SIM_CPU_MAX_DEPTH 4096

/* Before an instruction. Valid during the call only. */
struct sim_stop {
	struct uw_regs regs;
	struct sim_truth truth;
	const u8 *code; /* at pc */
	u32 code_len; /* bytes of code that can be looked at, at least 1, at most 16 */
};

struct sim_cpu_run {
	/* Called at each instruction; a non-zero result ends the run and is its result. */
	int (*at_stop)(void *ctx, const struct sim_stop *stop);
	void *ctx;
	u64 n_insns; /* out: how many stops there were */
};

/**
 * sim_cpu_run() - execute a case from target.regs until pc is exit_addr
 * @c:		executed case over image memory; its memory changes, so a case runs once
 * @run:	what to do at each stop
 * @error:	what the code did wrong
 *
 * Pages that are not present can be used by the code: presence is for readers.
 * A repeated string instruction stops once an iteration.
 *
 * Return: 0, what @run->at_stop returned, -ENOMEM, or -ENOEXEC with @error set: the
 * code left the case, broke its stack, ran too long, changed code, made a system call
 * or broke Unicorn; or -ENOTSUP: Unicorn cannot run the case. SIGABRT is taken
 * meanwhile, but not within @run->at_stop.
 */
int sim_cpu_run(const struct sim_case *c, struct sim_cpu_run *run, struct sim_error *error);
