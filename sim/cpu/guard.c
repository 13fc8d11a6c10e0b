// SPDX-License-Identifier: BSD-2-Clause

#include "guard.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf way_out;
static volatile sig_atomic_t is_armed;

/*
 * Leaves abort() by siglongjmp(), because abort() would end the process if this handler returned.
 */
static void on_abort(int signal)
{
	(void)signal;
	if (is_armed)
		siglongjmp(way_out, 1);
}

int cpu_guard_start(uc_engine *uc, u64 begin, u64 until, uc_err *out)
{
	struct sigaction ours = { .sa_handler = on_abort }, before;
	int err = 0;

	if (sigaction(SIGABRT, &ours, &before))
		return -errno;
	if (sigsetjmp(way_out, 1)) {
		err = -ENOTSUP;
	} else {
		is_armed = 1;
		*out = uc_emu_start(uc, begin, until, 0, 0);
	}
	is_armed = 0;
	sigaction(SIGABRT, &before, NULL);
	return err;
}

void cpu_guard_pause(void)
{
	is_armed = 0;
}

void cpu_guard_resume(void)
{
	is_armed = 1;
}
