/* SPDX-License-Identifier: BSD-2-Clause */

#include "target_list.h"

#include <errno.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/term.h"
#include "runtime.h"

struct label {
	char runtime[256], name[4 * PROC_NAME_LEN];
};

/* Return: false: the process has exited or is a kernel thread. */
static bool read_label(struct runtime_cache *cache, int pid, struct label *label)
{
	struct runtime_info info;
	struct proc_names names;

	if (proc_names_read(pid, &names) || names.is_kernel || runtime_detect(cache, pid, &info))
		return false;
	term_escape(info.name, label->runtime, sizeof(label->runtime));
	term_escape(names.name, label->name, sizeof(label->name));
	return true;
}

int target_list_applications(FILE *out, const struct applications *found)
{
	_cleanup_(runtime_cache_free) struct runtime_cache *cache = NULL;
	int err = runtime_cache_new(&cache);
	struct label label;

	for (size_t i = 0; !err && i < found->n; i++) {
		const struct ids *pids = &found->v[i].pids;

		if (!read_label(cache, pids->v[0], &label))
			continue;
		fprintf(out, "  unspool record -p ");
		for (size_t k = 0; k < pids->n; k++)
			fprintf(out, "%s%d", k ? "," : "", pids->v[k]);
		fprintf(out, "    %s  %s\n", label.runtime, label.name);
	}
	return err;
}

int target_list_busiest(FILE *out, size_t n)
{
	_cleanup_(runtime_cache_free) struct runtime_cache *cache = NULL;
	_cleanup_(ids_deinit) struct ids pids = { 0 };
	_cleanup_free_ struct proc_load *loads = NULL;
	size_t n_loads, n_listed = 0;
	struct label label;
	u64 wall_ns;
	int err = runtime_cache_new(&cache);

	if (!err)
		err = procs_list(&pids);
	if (!err)
		err = procs_measure(&pids, &loads, &n_loads, &wall_ns);
	if (err)
		return err;
	for (size_t i = 0; i < n_loads && n_listed < n; i++) {
		if (!read_label(cache, loads[i].pid, &label))
			continue;
		n_listed++;
		fprintf(out, "%8d  %4.0f %%  %-16s  %s\n", loads[i].pid,
			100.0 * (double)loads[i].cpu_ns / (double)wall_ns, label.runtime,
			label.name);
	}
	return 0;
}
