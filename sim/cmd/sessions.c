// SPDX-License-Identifier: BSD-2-Clause

#include "sessions.h"

#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void sim_sessions_cannot(struct sim_sessions *s, const char *engine, const char *where,
			 const char *why)
{
	if (!s->cannot[0])
		snprintf(s->cannot, sizeof(s->cannot), "engine %s cannot run %s: %s", engine, where,
			 why);
}

static int open_engine(struct sim_sessions *s, u32 arch, u32 engine)
{
	struct sim_session **session = &s->at[arch][engine];
	const char *name = sim_engines[engine]->name, *why;
	int err = sim_session_open(sim_engines[engine], sim_archs[arch], session);

	if (!err)
		return 0;
	why = *session ? (*session)->why : strerror(-err);
	if (err != -EOPNOTSUPP) {
		cli_error("engine %s: %s", name, why);
		return err;
	}
	sim_sessions_cannot(s, name, "here", why);
	sim_session_close(session);
	return 0;
}

int sim_sessions_open(const bool archs[SIM_N_ARCHS], const bool engines[SIM_N_ENGINES],
		      struct sim_sessions *out)
{
	int err = 0;

	*out = (struct sim_sessions){ 0 };
	for (u32 a = 0; a < SIM_N_ARCHS; a++)
		for (u32 e = 0; e < SIM_N_ENGINES && !err; e++)
			if (archs[a] && (engines[e] || sim_engines[e] == &sim_engine_native))
				err = open_engine(out, a, e);
	return err;
}

void sim_sessions_close(struct sim_sessions *s)
{
	for (u32 a = 0; a < SIM_N_ARCHS; a++)
		for (u32 e = 0; e < SIM_N_ENGINES; e++)
			sim_session_close(&s->at[a][e]);
}

struct sim_session *const *sim_sessions_of(const struct sim_sessions *s,
					   const struct sim_arch *arch)
{
	return s->at[arch == sim_archs[0] ? 0 : 1];
}
