/* SPDX-License-Identifier: BSD-2-Clause */
#include "live_walk.h"

#include <time.h>

#include "../../core/uw_walk.h"

struct port_world port_world;

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

int live_walk(struct uw_state *u, struct live_cpu *c, struct target *t)
{
	enum uw_status status = UW_OK;
	int r = live_cpu_read(c);

	if (r)
		return r;
	u->regs = c->regs;
	u->va_mask = (1ull << 48) - 1;
	u->has_tables = true;
	u->sample.time_ns = now_ns();
	u->sample.pid = (u32)c->tid;
	u->sample.n_frames = 0;
	u->sample.pc = c->regs.pc;
	u->sample.sp = c->regs.sp;
	u->sample.fp = c->regs.fp;
	u->sample.lr = c->regs.lr;
	u->sample.interp[0] = c->interp[0];
	u->sample.interp[1] = c->interp[1];
	u->sample.callee = c->callee;
	target_read(t, c->regs.sp, u->sample.sp_words, sizeof(u->sample.sp_words));
	uw_walk_begin(u);
	while (status == UW_OK)
		status = uw_step(u);
	uw_walk_end(u, status);
	return 0;
}
