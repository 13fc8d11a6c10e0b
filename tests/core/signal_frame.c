// SPDX-License-Identifier: BSD-2-Clause

/*
 * Checks that a signal frame of this kernel, or of an emulator, has the layout in arch.h.
 * interrupted.S sets the interrupted registers to known values. The compiler provides the
 * handler's CFA, which is the address of the signal frame: sp of the code to which the handler
 * returns.
 */

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include <arch.h>

#define FP 0x1122334455667788ull
#define OTHER 0x99aabbccddeeff01ull

/*
 * Defined in arch/ARCH/interrupted.S. The function sets fp to @fp, and lr (arm64) or r10 (x86-64)
 * to @other; on x86-64 it also sets rax, rcx, r9 and r11, to @other + 1 to 4. The function stores
 * sp in *@sp, and traps at interrupted_at.
 */
void interrupted(u64 *sp, u64 fp, u64 other);
extern const char interrupted_at[];

static sigjmp_buf back;
static struct uw_regs found, beside;

static void handle(int signo)
{
	const u8 *frame = __builtin_dwarf_cfa();

	(void)signo;
	found = arch_signal_regs(frame + ARCH_SIGNAL_OFF);
	beside = arch_signal_regs(frame + ARCH_SIGNAL_OFF + 8);
	siglongjmp(back, 1);
}

static bool has_scratch(const struct uw_regs *r)
{
	static const u8 regs[] = { UW_R10, UW_RAX, UW_RCX, UW_R9, UW_R11 };

	for (u32 i = 0; i < sizeof(regs); i++)
		if (r->scratch[regs[i]] != (r->lr ? 0 : OTHER + i))
			return false;
	return true;
}

/* Do all registers have the known values? */
static bool is_right(const struct uw_regs *r, u64 sp)
{
	return r->pc == (u64)(size_t)interrupted_at && r->sp == sp && r->fp == FP &&
	       r->lr + r->scratch[UW_R10] == OTHER && has_scratch(r);
}

/* Does no register have its known value? */
static bool is_wrong(const struct uw_regs *r, u64 sp)
{
	return r->pc != (u64)(size_t)interrupted_at && r->sp != sp && r->fp != FP &&
	       r->lr + r->scratch[UW_R10] != OTHER;
}

static int check(const char *what, int flags)
{
	static u64 sp;
	struct sigaction action = { .sa_handler = handle, .sa_flags = flags };
	bool good;

	sigaction(SIGILL, &action, NULL);
	if (!sigsetjmp(back, 1))
		interrupted(&sp, FP, OTHER);
	good = is_right(&found, sp) && is_wrong(&beside, sp);
	if (!good)
		printf("%s: got pc %llx sp %llx fp %llx other %llx, expected %llx %llx %llx %llx\n",
		       what, found.pc, found.sp, found.fp, found.lr + found.scratch[UW_R10],
		       (u64)(size_t)interrupted_at, sp, FP, OTHER);
	return good;
}

int main(void)
{
	stack_t other = { .ss_sp = malloc(1 << 20), .ss_size = 1 << 20 };
	int passed;

	if (!other.ss_sp || sigaltstack(&other, NULL))
		return 2;
	passed = check("handler on the interrupted stack", 0) +
		 check("handler on an alternate stack", SA_ONSTACK) +
		 check("handler with siginfo", SA_SIGINFO);
	printf("%d passed, %d failed\n", passed, 3 - passed);
	return passed != 3;
}
