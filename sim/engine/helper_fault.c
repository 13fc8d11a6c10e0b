// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes a page fault with a target's registers, at the target's pc. A signal handler stores these
 * registers in the signal frame, from which sigreturn restores them. The processor then faults,
 * because the code is not executable. The handler of the resulting signal returns to
 * helper_fault().
 *
 *	helper_fault()  tgkill -> begin(): registers of the target
 *	target's pc     page fault -> SIGSEGV -> end(): registers of helper_fault()
 *	helper_fault()  continues
 *
 * Uses the kernel's struct for signal actions, because without a vDSO the action needs a restorer.
 */

#include "helper_fault.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <helper_regs.h>

#define RESTORER 0x04000000ul /* SA_RESTORER, which glibc does not export */

struct kernel_sigaction {
	void (*handler)(int signal, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	u64 mask;
};

static char handler_stack[64 << 10] __attribute__((aligned(16)));
static ucontext_t before; /* registers to restore after the fault */
static struct uw_regs target;

static void begin(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	arch_copy_regs(&before, context);
	arch_set_regs(context, &target);
}

static void end(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	arch_copy_regs(context, &before);
}

static int handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct kernel_sigaction action = { handler, SA_SIGINFO | SA_ONSTACK | RESTORER,
					   arch_sigreturn, 0 };

	return syscall(SYS_rt_sigaction, signal, &action, NULL, sizeof(action.mask)) ? -errno : 0;
}

int helper_fault(const struct uw_regs *regs)
{
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	int err = sigaltstack(&stack, NULL) ? -errno : 0;

	target = *regs;
	if (!err)
		err = handle(SIGUSR1, begin);
	if (!err)
		err = handle(SIGSEGV, end);
	if (!err)
		err = handle(SIGBUS, end);
	if (!err && syscall(SYS_tgkill, getpid(), (pid_t)syscall(SYS_gettid), SIGUSR1))
		err = -errno;
	return err;
}
