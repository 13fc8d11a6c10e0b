/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_walk.h"

#include <errno.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <time.h>

#include "../../core/uw_walk.h"

struct port_world port_world;

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

int live_walk(struct uw_state *u, int tid, struct target *t)
{
	struct user_regs_struct regs;
	enum uw_status status = UW_OK;

	if (ptrace(PTRACE_GETREGS, tid, 0, &regs) < 0)
		return -errno;
	u->regs = (struct uw_regs){ regs.rip,
				    regs.rsp,
				    regs.rbp,
				    0,
				    { regs.r10, regs.rax, regs.rcx, regs.r8, regs.r9, regs.r11 } };
	u->va_mask = (1ull << 47) - 1;
	u->has_tables = true;
	u->sample.time_ns = now_ns();
	u->sample.pid = (u32)tid;
	u->sample.n_frames = 0;
	u->sample.pc = regs.rip;
	u->sample.sp = regs.rsp;
	u->sample.fp = regs.rbp;
	u->sample.interp[0] = regs.r9;
	u->sample.interp[1] = regs.r12;
	target_read(t, regs.rsp, u->sample.sp_words, sizeof(u->sample.sp_words));
	uw_walk_begin(u);
	while (status == UW_OK)
		status = uw_step(u);
	uw_walk_end(u, status);
	return 0;
}
