/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The emulated CPU executes a case's code on the case's own memory, and stops before each
 * instruction, with the true stack.
 *
 *	case memory (sim/mem image) <-- mappings --- Unicorn
 *	                                                |
 *	calls push, returns pop:  shadow stack <--- each instruction
 *
 * The true stack is derived from executed calls and returns, never from memory. The code starts and
 * ends in the same outermost frame, which has no caller. Code that would make the shadow stack
 * wrong is an error. Such code returns to an address other than that of the call; returns by a
 * jump; makes a call that never returns; or makes a far call or another change of the CPU's mode.
 *
 * On arm64, pointer authentication is enabled, with top-byte-ignore as on Linux, so bits 54:48 of a
 * signed return address hold the signature.
 */

#include "../case/case.h"
#include "../case/error.h"

/* Maximum nesting of calls; deeper nesting is an error. */
#define SIM_CPU_MAX_DEPTH 4096

/* The state before an instruction is executed; valid only during the callback. */
struct sim_stop {
	struct uw_regs regs;
	struct sim_truth truth;
	const u8 *code; /* bytes at pc */
	u32 code_len; /* number of readable bytes of code, 1 to 16 */
};

struct sim_cpu_run {
	/*
	 * Called at each instruction; a nonzero result ends the run and becomes the run's result.
	 */
	int (*at_stop)(void *ctx, const struct sim_stop *stop);
	void *ctx;
	u64 n_insns; /* set to the number of stops */
};

/**
 * sim_cpu_run() - execute a case from target.regs until pc is exit_addr
 * @c:		executed case with image memory; the run changes the memory, so each case can run
 *		only once
 * @run:	callback for each stop
 * @error:	set to the reason if the code is wrong
 *
 * The executed code can use pages that are not present, because a page that is not present only
 * makes the reads of a walk fail. At a repeated string instruction, there is a stop for each
 * iteration.
 *
 * Return: 0, the result of @run->at_stop, -ENOMEM, or -ENOEXEC with @error set: the code left
 * the case, broke its stack, ran too long, changed code, made a system call or made Unicorn
 * abort; or -ENOTSUP: Unicorn cannot run the case. Handles SIGABRT during the run, except
 * within @run->at_stop.
 */
int sim_cpu_run(const struct sim_case *c, struct sim_cpu_run *run, struct sim_error *error);
