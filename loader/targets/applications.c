/* SPDX-License-Identifier: BSD-2-Clause */

#include "applications.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "package.h"
#include "pm2.h"

#define MAX_ANCESTORS 64

/* A matching process. */
struct hit {
	int pid;
	int top; /* first process of its application */
	enum proc_match match;
};

struct hits {
	struct hit *v;
	size_t n, room;
};

static void hits_deinit(struct hits *hits)
{
	free(hits->v);
}

static int add_hit(struct hits *hits, int pid, const char *wanted)
{
	struct proc_names names;
	char package[PACKAGE_NAME_LEN], pm2_name[PM2_NAME_LEN];
	enum proc_match match, by_pm2;

	if (pid == getpid() || proc_names_read(pid, &names) || names.is_kernel)
		return 0;
	package_name_read(pid, &names, package);
	pm2_name_read(pid, pm2_name);
	match = proc_names_match(&names, package, wanted);
	by_pm2 = proc_names_match(&names, pm2_name, wanted);
	match = match > by_pm2 ? match : by_pm2;
	if (match == PROC_MATCH_NONE)
		return 0;
	if (array_reserve(hits->v, hits->room, hits->n + 1))
		return -ENOMEM;
	hits->v[hits->n++] = (struct hit){ pid, pid, match };
	return 0;
}

/*
 * If a name of some process is exactly the wanted name, drops the processes whose names only
 * contain the wanted name.
 */
static void drop_parts(struct hits *hits)
{
	size_t n = 0;

	for (size_t i = 0; i < hits->n; i++)
		n += hits->v[i].match == PROC_MATCH_WHOLE;
	if (!n)
		return;
	n = 0;
	for (size_t i = 0; i < hits->n; i++)
		if (hits->v[i].match == PROC_MATCH_WHOLE)
			hits->v[n++] = hits->v[i];
	hits->n = n;
}

static bool is_hit(const struct hits *hits, int pid)
{
	for (size_t i = 0; i < hits->n; i++)
		if (hits->v[i].pid == pid)
			return true;
	return false;
}

/*
 * The outermost matching ancestor of a process. If the parent of a matching process executes the
 * same program, the parent counts as matching.
 */
static int find_top(const struct hits *hits, int pid)
{
	struct proc_names names, parent;
	int top = pid;

	if (proc_names_read(pid, &names))
		return pid;
	for (int i = 0; i < MAX_ANCESTORS && names.ppid > 1; i++) {
		int ppid = names.ppid;

		if (proc_names_read(ppid, &parent))
			break;
		if (is_hit(hits, ppid) ||
		    (is_hit(hits, pid) && parent.exe[0] && !strcmp(parent.exe, names.exe)))
			top = ppid;
		pid = ppid;
		names = parent;
	}
	return top;
}

static int by_top(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->top != y->top ? x->top - y->top : x->pid - y->pid;
}

static int group(struct hits *hits, struct applications *found)
{
	int err = 0;

	for (size_t i = 0; i < hits->n; i++)
		hits->v[i].top = find_top(hits, hits->v[i].pid);
	if (hits->n)
		qsort(hits->v, hits->n, sizeof(*hits->v), by_top);
	found->v = calloc(hits->n + 1, sizeof(*found->v));
	if (!found->v)
		return -ENOMEM;
	for (size_t i = 0; i < hits->n && !err; i++) {
		if (!i || hits->v[i].top != hits->v[i - 1].top)
			found->n++;
		err = ids_add(&found->v[found->n - 1].pids, hits->v[i].pid);
	}
	return err;
}

int applications_find(const char *name, struct applications *found)
{
	_cleanup_(hits_deinit) struct hits hits = { 0 };
	_cleanup_(ids_deinit) struct ids pids = { 0 };
	int err = procs_list(&pids);

	*found = (struct applications){ 0 };
	for (size_t i = 0; i < pids.n && !err; i++)
		err = add_hit(&hits, pids.v[i], name);
	if (err)
		return err;
	drop_parts(&hits);
	return group(&hits, found);
}

void applications_deinit(struct applications *found)
{
	for (size_t i = 0; i < found->n; i++)
		ids_deinit(&found->v[i].pids);
	free(found->v);
	*found = (struct applications){ 0 };
}
