// SPDX-License-Identifier: BSD-2-Clause

#include "engines.h"

#include "../engine/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int walk(void *ctx, const struct sim_target *target, struct uw_state *u)
{
	struct sweep_engine *e = ctx;
	const struct uw_sample *s = &e->walk->state.sample;
	int err = sim_session_walk(e->session, target, e->walk);

	if (err)
		return err;
	memcpy(&u->sample, s,
	       offsetof(struct uw_sample, frames) + s->n_frames * sizeof(struct uw_frame));
	return 0;
}

int sweep_engine_init(struct sim_session *session, u32 every, struct sweep_engine *out)
{
	bool is_native = session->engine == &sim_engine_native;
	u32 usual = session->engine == &sim_engine_kernel ? SWEEP_KERNEL_EVERY : 1;

	*out = (struct sweep_engine){
		.walker = {
			.name = session->engine->name,
			.walk = is_native ? NULL : walk,
			.ctx = out,
			.why = session->why,
			.every = every ? every : usual,
		},
		.session = session,
	};
	if (is_native)
		return 0;
	out->walk = calloc(1, sizeof(*out->walk));
	return out->walk ? 0 : -ENOMEM;
}

void sweep_engine_deinit(struct sweep_engine *e)
{
	free(e->walk);
	*e = (struct sweep_engine){ 0 };
}
