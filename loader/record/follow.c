// SPDX-License-Identifier: BSD-2-Clause

/* --follow: processes with a name are recorded even if they end and start again. */

#include <errno.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../targets/applications.h"
#include "record.h"

/* A process that ends, or that can't be read, is not an error: the next one may be recorded. */
static int add(struct recording *r, const struct ids *pids, struct ids *seen)
{
	int err = 0;

	for (size_t i = 0; i < pids->n && !err; i++) {
		int pid = pids->v[i];

		err = ids_add(seen, pid);
		if (err || ids_has(&r->followed, pid) || proc_is_32_bit(pid))
			continue;
		if (session_add_target(r->session, (u32)pid, NEVER_NS) == -ENOMEM)
			err = -ENOMEM;
	}
	return err;
}

int recording_follow(struct recording *r)
{
	struct ids seen = { 0 };
	int err = 0;

	for (size_t n = 0; n < r->options.n_names && !err; n++) {
		_cleanup_(applications_deinit) struct applications found = { 0 };

		err = applications_find(r->options.names[n], &found);
		for (size_t i = 0; i < found.n && !err; i++)
			err = add(r, &found.v[i].pids, &seen);
	}
	ids_deinit(&r->followed);
	r->followed = seen;
	return err;
}
