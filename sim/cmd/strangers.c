// SPDX-License-Identifier: BSD-2-Clause

#include "strangers.h"

#include "cli.h"

#include <errno.h>
#include <string.h>

static int open_plugin(const struct sim_options *o, struct sim_plugin **out)
{
	struct sim_error error;
	int err = sim_plugin_open(o->plugin, o->plugin_timeout_s, out, &error);

	if (!err)
		return CLI_OK;
	cli_error("%s", error.text);
	return err == -ENOENT || err == -EACCES ? CLI_USAGE : CLI_CANNOT_RUN;
}

static int open_foreign(u32 arch, struct sim_sessions *sessions, struct sim_session **out)
{
	int err = sim_session_open(&sim_engine_foreign, sim_archs[arch], out);
	const char *why = *out ? (*out)->why : strerror(-err);

	if (!err)
		return CLI_OK;
	if (err == -EOPNOTSUPP)
		sim_sessions_cannot(sessions, sim_engine_foreign.name, "here", why);
	else
		cli_error("engine %s: %s", sim_engine_foreign.name, why);
	sim_session_close(out);
	return err == -EOPNOTSUPP ? CLI_OK : CLI_FAILURE;
}

int sim_strangers_open(const struct sim_options *o, struct sim_sessions *sessions,
		       struct sim_strangers *out)
{
	int status = CLI_OK;

	*out = (struct sim_strangers){ 0 };
	if (o->plugin)
		return open_plugin(o, &out->plugin);
	for (u32 a = 0; a < SIM_N_ARCHS && !status && o->is_foreign; a++)
		if (o->archs[a])
			status = open_foreign(a, sessions, &out->foreign[a]);
	return status;
}

int sim_strangers_close(struct sim_strangers *s)
{
	int err = sim_plugin_close(&s->plugin);

	for (u32 a = 0; a < SIM_N_ARCHS; a++)
		sim_session_close(&s->foreign[a]);
	if (err)
		cli_error("can't remove the private folder of a plugin in $TMPDIR or /tmp");
	return err;
}
