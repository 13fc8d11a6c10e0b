/* SPDX-License-Identifier: BSD-2-Clause */

/* Control of a thread on x86-64 by ptrace. */

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live_cpu.h"

const int live_cpu_slowness = 1;

void live_cpu_exec(char *const argv[])
{
	execv(argv[0], argv);
}

FILE *live_cpu_maps(const struct live_cpu *c, bool is_fresh)
{
	char path[64];

	(void)is_fresh;
	snprintf(path, sizeof(path), "/proc/%d/maps", c->tid);
	return fopen(path, "re");
}

int live_cpu_begin(struct live_cpu *c, pid_t tid)
{
	*c = (struct live_cpu){ .tid = tid };
	return 0;
}

void live_cpu_end(struct live_cpu *c)
{
	*c = (struct live_cpu){};
}

int live_cpu_attach(struct live_cpu *c)
{
	return ptrace(PTRACE_SEIZE, c->tid, 0, 0) < 0 ? -errno : 0;
}

/*
 * Like waitpid(), but waits for at most @ms. This works because the kernel sends SIGCHLD when the
 * thread stops.
 */
static int wait_for(pid_t tid, int *status, int ms)
{
	struct timespec left = { 0, 10000000 };
	sigset_t child, before;
	int r;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	for (r = waitpid(tid, status, __WALL | WNOHANG); !r && ms > 0; ms -= 10) {
		sigtimedwait(&child, NULL, &left);
		r = waitpid(tid, status, __WALL | WNOHANG);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

int live_cpu_wait(struct live_cpu *c, int ms)
{
	int status, r = wait_for(c->tid, &status, ms);

	if (r < 0)
		return -errno;
	if (!r)
		return -ETIMEDOUT;
	if (!WIFSTOPPED(status))
		return -ESRCH;
	c->is_stopped = true;
	if (!(status >> 16) && WSTOPSIG(status) != SIGTRAP)
		c->signal = WSTOPSIG(status);
	return 0;
}

static int resume(struct live_cpu *c, int how)
{
	int signal = c->signal;

	c->signal = 0;
	c->is_stopped = c->has_regs = false;
	return ptrace(how, c->tid, 0, signal) < 0 ? -errno : 0;
}

int live_cpu_interrupt(struct live_cpu *c)
{
	if (c->is_stopped)
		return 0;
	if (ptrace(PTRACE_INTERRUPT, c->tid, 0, 0) < 0)
		return -errno;
	return live_cpu_wait(c, LIVE_CPU_LONG_MS);
}

int live_cpu_continue(struct live_cpu *c)
{
	return resume(c, PTRACE_CONT);
}

int live_cpu_step(struct live_cpu *c)
{
	int r = resume(c, PTRACE_SINGLESTEP);

	return r ? r : live_cpu_wait(c, LIVE_CPU_LONG_MS);
}

int live_cpu_break(struct live_cpu *c, u64 addr)
{
	if (ptrace(PTRACE_POKEUSER, c->tid, offsetof(struct user, u_debugreg[0]), addr) < 0 ||
	    ptrace(PTRACE_POKEUSER, c->tid, offsetof(struct user, u_debugreg[7]), addr ? 1 : 0) < 0)
		return -errno;
	c->breakpoint = addr;
	return 0;
}

int live_cpu_read(struct live_cpu *c)
{
	struct user_regs_struct regs;

	if (c->has_regs)
		return 0;
	if (ptrace(PTRACE_GETREGS, c->tid, 0, &regs) < 0)
		return -errno;
	c->regs = (struct uw_regs){ regs.rip,
				    regs.rsp,
				    regs.rbp,
				    0,
				    { regs.r10, regs.rax, regs.rcx, regs.r8, regs.r9, regs.r11 } };
	c->interp[0] = regs.r9;
	c->interp[1] = regs.r12;
	c->callee = regs.rdi;
	c->has_regs = true;
	return 0;
}
