/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A thread under test, and what it runs on: this machine, by ptrace (live_cpu_ptrace.c), or
 * qemu-user, by its gdb stub (live_cpu_qemu.c; of a program's threads the first one). A test
 * is linked with one of them; memory is read through /proc/PID/mem with both.
 */

#include <stdio.h>
#include <sys/types.h>

#include "../../core/uw_state.h"

struct live_cpu {
	pid_t tid;
	int link; /* to the stub */
	bool is_stopped;
	bool has_regs; /* those below are the stopped thread's */
	int signal; /* that it stopped for, to be delivered; 0: none */
	struct uw_regs regs;
	u64 interp[2]; /* the interpreter's offset and BytecodeArray, if it runs V8's code */
	u64 callee; /* the JSFunction, where one is called */
	u64 breakpoint; /* 0: none */
	char received[4096]; /* from the stub */
	size_t n_received;
};

#define LIVE_CPU_SOON_MS 300
#define LIVE_CPU_LONG_MS 20000

/* How much slower programs run than on this machine. */
extern const int live_cpu_slowness;

/* In a child process: becomes the program. Returns only if that fails. */
void live_cpu_exec(char *const argv[]);

/*
 * The program's mappings as itself sees them; @is_fresh: not those of before now. NULL: errno
 * says why, ETIMEDOUT where it has told none since.
 */
FILE *live_cpu_maps(const struct live_cpu *c, bool is_fresh);

/* All that return something: 0 or a negative errno. */

/* As soon as the thread exists; it goes on. */
int live_cpu_begin(struct live_cpu *c, pid_t tid);
void live_cpu_end(struct live_cpu *c);
/* Once its program runs: may be stopped from now on. */
int live_cpu_attach(struct live_cpu *c);

/* Waits so long at most, else -ETIMEDOUT. -ESRCH: it has ended. */
int live_cpu_wait(struct live_cpu *c, int ms);
/* Stops it wherever it is, if it runs. */
int live_cpu_interrupt(struct live_cpu *c);
int live_cpu_go_on(struct live_cpu *c);
/* One instruction; it is stopped before and after. */
int live_cpu_step(struct live_cpu *c);
/* Of a stopped thread: where it is to stop; 0: nowhere. */
int live_cpu_break(struct live_cpu *c, u64 addr);
/* Of a stopped thread: regs, interp and callee. */
int live_cpu_read(struct live_cpu *c);
