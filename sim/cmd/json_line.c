// SPDX-License-Identifier: BSD-2-Clause

#include "json_line.h"

#include "../../inspect/util/json_memory.h"

int sim_json_line(FILE *f, json_t *o)
{
	return json_memory_line(o, JSON_COMPACT, f);
}

json_t *sim_json_hex(u64 value)
{
	return json_sprintf("0x%llx", value);
}

int sim_json_not_run(FILE *f, const struct sim_verdict *v)
{
	return sim_json_line(f, json_pack("{s:s, s:s, s:s, s:s, s:s}", "type",
					  v->outcome == SIM_CANNOT_RUN ? "cannot" : "error", "case",
					  v->name, "arch", v->arch, "engine", v->engine, "error",
					  v->words));
}
