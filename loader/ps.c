/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * `unspool ps`: lists processes that have a runtime, or all processes; the busiest come
 * first.
 */

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "../inspect/util/cleanup.h"
#include "../inspect/util/json_memory.h"
#include "../inspect/util/cli_fields.h"
#include "../inspect/util/term.h"
#include "commands.h"
#include "targets/procs.h"
#include "targets/runtime.h"

struct ps_options {
	bool all, json;
};

struct ps_counts {
	int shown, unreadable;
};

struct ps_row {
	int pid;
	double cpus; /* CPU usage; 1.0: all of one CPU */
	struct proc_names names;
	struct runtime_info runtime;
};

static const struct argp_option options[] = {
	{ "all", 'a', NULL, 0, "Include native processes", 1 },
	{ "json", 'j', NULL, 0, "Print one JSON object per line", 1 },
	{ 0 },
};

static const struct cli_field fields[] = {
	{ 'a', offsetof(struct ps_options, all), cli_set_flag, NULL },
	{ 'j', offsetof(struct ps_options, json), cli_set_flag, NULL },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.doc = "List processes with runtime, version, CPU use (measured for 0.3 s), and what "
	       "Unspool "
	       "reports for their frames.",
};

static int print_text(const struct ps_row *r)
{
	char name[4 * PROC_NAME_LEN], runtime[256], why[512];

	term_escape(r->names.name, name, sizeof(name));
	term_escape(r->runtime.name, runtime, sizeof(runtime));
	term_escape(r->runtime.why_not, why, sizeof(why));
	printf("%8d  %4.0f %%  %-16s  %-12s  %s%s%s%s\n", r->pid, 100 * r->cpus, runtime,
	       r->runtime.frames, name, why[0] ? "  (" : "", why, why[0] ? ")" : "");
	return 0;
}

/* Escaped, because the target chooses these bytes and the output must be UTF-8. */
static int print_json(const struct ps_row *r)
{
	char name[4 * PROC_NAME_LEN], exe[4 * PROC_NAME_LEN], runtime[256], why[512];
	json_t *object = json_pack(
		"{si ss ss ss sf sb ss ss*}", "pid", r->pid, "name",
		term_escape(r->names.name, name, sizeof(name)), "exe",
		term_escape(r->names.exe, exe, sizeof(exe)), "runtime",
		term_escape(r->runtime.name, runtime, sizeof(runtime)), "cpus", r->cpus,
		"supported", r->runtime.is_supported, "frames", r->runtime.frames, "why_not",
		r->runtime.why_not[0] ? term_escape(r->runtime.why_not, why, sizeof(why)) : NULL);

	return json_memory_line(object, JSON_COMPACT | JSON_REAL_PRECISION(4), stdout);
}

/* Processes that have ended or are hidden are skipped. */
static bool is_passed_over(int err)
{
	return err == -ESRCH || err == -EACCES || err == -EPERM;
}

/* Return: 0, even for a process that is not listed; or a negative errno. */
static int show(const struct ps_options *o, struct runtime_cache *cache, struct ps_row *r,
		struct ps_counts *n)
{
	int err;

	err = proc_names_read(r->pid, &r->names);
	if (!err && r->names.is_kernel)
		return 0;
	if (!err)
		err = runtime_detect(cache, r->pid, &r->runtime);
	if (err)
		return is_passed_over(err) ? 0 : err;
	n->unreadable += !r->runtime.is_supported && !r->runtime.has_runtime;
	if (!o->all && !r->runtime.has_runtime)
		return 0;
	if (!n->shown++ && !o->json)
		printf("%8s  %6s  %-16s  %-12s  %s\n", "PID", "CPU", "RUNTIME", "FRAMES", "NAME");
	return (o->json ? print_json : print_text)(r);
}

static int list(const struct ps_options *o, struct ps_counts *n)
{
	_cleanup_(runtime_cache_free) struct runtime_cache *cache = NULL;
	_cleanup_(ids_deinit) struct ids pids = { 0 };
	_cleanup_free_ struct proc_load *loads = NULL;
	size_t n_loads = 0;
	u64 wall_ns = 1;
	int err = runtime_cache_new(&cache);

	if (!err)
		err = procs_list(&pids);
	if (!err)
		err = procs_measure(&pids, &loads, &n_loads, &wall_ns);
	for (size_t i = 0; !err && i < n_loads; i++) {
		struct ps_row r = { .pid = loads[i].pid };

		r.cpus = (double)loads[i].cpu_ns / (double)wall_ns;
		err = show(o, cache, &r, n);
	}
	return err;
}

int cmd_ps(int argc, char **argv)
{
	struct ps_options o = { 0 };
	struct ps_counts n = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &o), err;

	if (status != CLI_CONTINUE)
		return status;
	err = list(&o, &n);
	fflush(stdout);
	if (err) {
		cli_error("processes can't be listed: %s", strerror(-err));
		return CLI_FAILURE;
	}
	if (!n.shown && !o.json)
		cli_error("no Node.js or .NET process runs; use --all to list native processes");
	if (n.unreadable && !o.all && geteuid())
		cli_error("%d processes can't be read; run as root to list them", n.unreadable);
	return CLI_OK;
}
