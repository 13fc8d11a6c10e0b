// SPDX-License-Identifier: BSD-2-Clause

#include "json_line.h"

#include <errno.h>

static int put(const char *bytes, size_t len, void *f)
{
	return fwrite(bytes, 1, len, f) == len ? 0 : -1;
}

int sim_json_line(FILE *f, json_t *o)
{
	if (!o)
		return -ENOMEM;
	if (json_dump_callback(o, put, f, JSON_COMPACT) && !ferror(f)) {
		json_decref(o);
		return -ENOMEM;
	}
	json_decref(o);
	fputc('\n', f);
	return 0;
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
