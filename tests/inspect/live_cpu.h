/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A thread under test and its CPU: this machine, through ptrace (live_cpu_ptrace.c), or qemu-user,
 * through its gdb stub (live_cpu_qemu.c, which supports only a program's first thread). Each test
 * is linked with one of these files. Both read memory through /proc/PID/mem.
 */

#include <stdio.h>
#include <sys/types.h>

#include "../../core/uw_state.h"

struct live_cpu {
	pid_t tid;
	int link; /* socket to the gdb stub */
	bool is_stopped;
	bool has_regs; /* regs, interp and callee are those of the stopped thread */
	int signal; /* the signal that stopped the thread, not delivered yet; 0: none */
	struct uw_regs regs;
	u64 interp[2]; /* bytecode offset and BytecodeArray of the interpreter, in V8's code */
	u64 callee; /* the JSFunction register; valid at a call */
	u64 breakpoint; /* address of the breakpoint; 0: none */
	char received[4096]; /* bytes received from the gdb stub and not used yet */
	size_t n_received;
};

#define LIVE_CPU_SOON_MS 300
#define LIVE_CPU_LONG_MS 20000

/* Factor by which programs run slower than directly on this machine. */
extern const int live_cpu_slowness;

/* For a child process: replaces it by the program. Returns only on failure. */
void live_cpu_exec(char *const argv[]);

/*
 * The text of the program's own /proc/PID/maps. @is_fresh: read it again instead of
 * returning the cached text. NULL with errno on failure; ETIMEDOUT: the program has
 * not reported its mappings.
 */
FILE *live_cpu_maps(const struct live_cpu *c, bool is_fresh);

/* Functions that return int return 0 or a negative errno. */

/* Call as soon as the thread exists. The thread continues. */
int live_cpu_begin(struct live_cpu *c, pid_t tid);
void live_cpu_end(struct live_cpu *c);
/* Call when the program runs; then the thread can be stopped. */
int live_cpu_attach(struct live_cpu *c);

/* Waits until the thread stops, for at most @ms. -ETIMEDOUT; -ESRCH: the thread has ended. */
int live_cpu_wait(struct live_cpu *c, int ms);
/* Stops the thread at the current instruction, if the thread runs. */
int live_cpu_interrupt(struct live_cpu *c);
int live_cpu_continue(struct live_cpu *c);
/* Executes one instruction. The thread must be stopped, and is stopped afterwards. */
int live_cpu_step(struct live_cpu *c);
/* Sets the breakpoint of a stopped thread; 0: none. */
int live_cpu_break(struct live_cpu *c, u64 addr);
/* Reads regs, interp and callee of a stopped thread. */
int live_cpu_read(struct live_cpu *c);
