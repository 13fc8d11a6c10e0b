// SPDX-License-Identifier: BSD-2-Clause

/* The common part of all engines, and the native engine, which needs nothing else. */

#include "engine.h"

#include "../../bpf/tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static int native_open(const struct sim_arch *arch, struct sim_session **out)
{
	struct sim_session *session = calloc(1, sizeof(*session));

	(void)arch;
	if (!session)
		return -ENOMEM;
	*out = session;
	return 0;
}

static int native_walk(struct sim_session *session, const struct sim_target *target,
		       struct sim_walk *out)
{
	session->arch->walk(&out->state, target);
	return 0;
}

static void native_close(struct sim_session *session)
{
	free(session);
}

const struct sim_engine sim_engine_native = { "native", native_open, native_walk, native_close };

int sim_session_open(const struct sim_engine *engine, const struct sim_arch *arch,
		     struct sim_session **out)
{
	struct sim_session *session = NULL;
	int err = engine->open(arch, &session);

	if (session) {
		session->engine = engine;
		session->arch = arch;
	}
	*out = session;
	return err;
}

static bool rows_fit(const struct sim_target *t)
{
	if (t->n_row_pages > SIM_MAX_ROW_PAGES || t->n_rows > SIM_MAX_ROWS ||
	    t->n_rules > SIM_MAX_RULES)
		return false;
	for (u32 i = 0; i < t->n_row_pages; i++)
		if (!t->row_pages[i].module || !t->row_pages[i].n ||
		    t->row_pages[i].n > UW_MAX_PAGE_ROWS ||
		    (u64)t->row_pages[i].first + t->row_pages[i].n > t->n_rows)
			return false;
	for (u32 i = 0; i < t->n_rows; i++)
		if ((t->rows[i] & ((1u << UW_ROW_OFF_SHIFT) - 1)) >= t->n_rules)
			return false;
	return true;
}

static bool tables_fit(const struct sim_target *t)
{
	u64 first = t->extent >> 32, n = (u32)t->extent;

	if (t->n_mappings > UW_MAX_MAPPINGS || t->n_v8_builds > UW_MAX_V8_BUILDS ||
	    first + n > t->n_mappings)
		return false;
	for (u32 i = 0; i < t->n_mappings; i++)
		if (t->mappings[i].info_idx >= UW_MAX_V8_BUILDS ||
		    t->mappings[i].end_addr > UW_MAX_MAPPING_END)
			return false;
	return rows_fit(t);
}

int sim_session_walk(struct sim_session *session, const struct sim_target *target,
		     struct sim_walk *out)
{
	struct sim_read_log *log = target->mem->log;
	int err;

	session->why[0] = 0;
	if (!tables_fit(target)) {
		snprintf(session->why, sizeof(session->why),
			 "invalid mappings or rows, which no process can have");
		return -EINVAL;
	}
	out->log = (struct sim_read_log){ out->reads, SIM_MAX_READS, 0 };
	target->mem->log = &out->log;
	target->mem->missing.len = 0;
	err = session->engine->walk(session, target, out);
	target->mem->log = log;
	if (err || !target->mem->missing.len)
		return err;
	sim_mem_missing_words(target->mem, session->why, sizeof(session->why));
	return -ENODATA;
}

void sim_session_close(struct sim_session **session)
{
	if (*session)
		(*session)->engine->close(*session);
	*session = NULL;
}
