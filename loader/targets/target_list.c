/* SPDX-License-Identifier: BSD-2-Clause */

#include "target_list.h"

#include <errno.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "runtime.h"

#define NO_LOAD (~0ull)

/*
 * Prints the line of a process. Return: 1: a line was printed; 0: the process has exited or is a
 * kernel thread.
 */
static int list_one(FILE *out, struct runtime_cache *cache, int pid, u64 cpu_ns, u64 wall_ns)
{
	char name[4 * PROC_NAME_LEN], runtime[256];
	struct runtime_info info;
	struct proc_names names;

	if (proc_names_read(pid, &names) || names.is_kernel || runtime_detect(cache, pid, &info))
		return 0;
	fprintf(out, "%8d  ", pid);
	if (cpu_ns != NO_LOAD)
		fprintf(out, "%4.0f %%  ", 100.0 * (double)cpu_ns / (double)wall_ns);
	fprintf(out, "%-16s  %s\n", term_escape(info.name, runtime, sizeof(runtime)),
		term_escape(names.name, name, sizeof(name)));
	return 1;
}

int target_list_pids(FILE *out, const struct ids *pids)
{
	_cleanup_(runtime_cache_free) struct runtime_cache *cache = NULL;
	int err = runtime_cache_new(&cache);

	for (size_t i = 0; !err && i < pids->n; i++)
		list_one(out, cache, pids->v[i], NO_LOAD, 1);
	return err;
}

int target_list_busiest(FILE *out, size_t n)
{
	_cleanup_(runtime_cache_free) struct runtime_cache *cache = NULL;
	_cleanup_(ids_deinit) struct ids pids = { 0 };
	_cleanup_free_ struct proc_load *loads = NULL;
	size_t n_loads, n_listed = 0;
	u64 wall_ns;
	int err = runtime_cache_new(&cache);

	if (!err)
		err = procs_list(&pids);
	if (!err)
		err = procs_measure(&pids, &loads, &n_loads, &wall_ns);
	if (err)
		return err;
	for (size_t i = 0; i < n_loads && n_listed < n; i++)
		n_listed += (size_t)list_one(out, cache, loads[i].pid, loads[i].cpu_ns, wall_ns);
	return 0;
}
