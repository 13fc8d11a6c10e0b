// SPDX-License-Identifier: BSD-2-Clause

/* Replaces the foreign engine in a build without a foreign header. */

#include "foreign.h"

#include <errno.h>
#include <stdio.h>

static int foreign_open(const struct sim_arch *arch, struct sim_session **out)
{
	int err = sim_engine_native.open(arch, out);

	if (err)
		return err;
	snprintf((*out)->why, sizeof((*out)->why),
		 "this build has no foreign header; add one with meson configure BUILD "
		 "-Dforeign=HEADER");
	return -EOPNOTSUPP;
}

static void foreign_close(struct sim_session *session)
{
	sim_engine_native.close(session);
}

const struct sim_engine sim_engine_foreign = { "foreign", foreign_open, NULL, foreign_close };
