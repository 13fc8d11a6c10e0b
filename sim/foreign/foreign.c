// SPDX-License-Identifier: BSD-2-Clause

#include "foreign.h"

static int foreign_open(const struct sim_arch *arch, struct sim_session **out)
{
	return sim_engine_native.open(arch, out);
}

static int foreign_walk(struct sim_session *session, const struct sim_target *target,
			struct sim_walk *out)
{
	if (session->arch == &sim_arch_arm64)
		sim_foreign_walk_arm64(&out->state, target);
	else
		sim_foreign_walk_x86_64(&out->state, target);
	return 0;
}

static void foreign_close(struct sim_session *session)
{
	sim_engine_native.close(session);
}

const struct sim_engine sim_engine_foreign = {
	"foreign",
	foreign_open,
	foreign_walk,
	foreign_close,
};
