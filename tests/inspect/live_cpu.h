/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A thread under test and its CPU: this machine, through ptrace (live_cpu_ptrace.c),
 * or qemu-user, through its gdb stub (live_cpu_qemu.c, which supports only a
 * program's first thread). A test is linked with one of them. Both read memory
 * through /proc/PID/mem.
 */

#include <stdio.h>
#include <sys/types.h>

#include "../../core/uw_state.h"

struct live_cpu {
	pid_t tid;
	int link; /* connection to the stub */
	bool is_stopped;
	bool has_regs; /* the registers below are those of the stopped thread */
	int signal; /* signal that stopped it, to be delivered; 0: none */
	struct uw_regs regs;
	u64 interp[2]; /* bytecode offset and BytecodeArray of the interpreter, in V8's code */
	u64 callee; /* the JSFunction register, at a call */
	u64 breakpoint; /* address; 0: none */
	char received[4096]; /* bytes from the stub */
	size_t n_received;
};

#define LIVE_CPU_SOON_MS 300
#define LIVE_CPU_LONG_MS 20000

/* Slowdown factor of programs, relative to this machine. */
extern const int live_cpu_slowness;

/* Runs in a child process: replaces it by the program. Returns only on failure. */
void live_cpu_exec(char *const argv[]);

/*
 * The program's mappings as the program sees them; @is_fresh: read now, not cached.
 * NULL with errno on failure; ETIMEDOUT: the program has not reported any.
 */
FILE *live_cpu_maps(const struct live_cpu *c, bool is_fresh);

/* Functions that return int return 0 or a negative errno. */

/* Call as soon as the thread exists; it continues. */
int live_cpu_begin(struct live_cpu *c, pid_t tid);
void live_cpu_end(struct live_cpu *c);
/* Call once the program runs; the thread can be stopped from then on. */
int live_cpu_attach(struct live_cpu *c);

/* Waits for at most @ms, then -ETIMEDOUT. -ESRCH: the thread has ended. */
int live_cpu_wait(struct live_cpu *c, int ms);
/* Stops the thread wherever it is, if it runs. */
int live_cpu_interrupt(struct live_cpu *c);
int live_cpu_continue(struct live_cpu *c);
/* Executes one instruction; the thread is stopped before and after. */
int live_cpu_step(struct live_cpu *c);
/* Sets the breakpoint of a stopped thread; 0: none. */
int live_cpu_break(struct live_cpu *c, u64 addr);
/* Reads regs, interp and callee of a stopped thread. */
int live_cpu_read(struct live_cpu *c);
