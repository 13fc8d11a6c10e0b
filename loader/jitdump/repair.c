// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump repair`: turns a faulty jitdump into one that perf accepts. */

#include "jitdump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/jitdump/jd_check.h"
#include "../../inspect/jitdump/jd_repair.h"
#include "../../inspect/util/cleanup.h"
#include "../out/out.h"

/* Limit of printed changes, because one bug usually causes all of them. */
#define MAX_PRINTED 40

struct repair_run {
	const char *file, *out;
	bool is_quiet;
	struct jd_repair how;
	u64 n_changes;
	/* the repaired file */
	char *bytes;
	size_t len;
	u64 n_left; /* remaining faults */
};

enum { KEY_RESYNC = 0x100 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0,
	  "Write to OUT (required); perf reads only files named jit-PID.dump", 1 },
	{ "machine", 'm', "NAME|EM", 0,
	  "Write this machine into the header: x86_64, arm64 or an EM_ number", 1 },
	{ "resync", KEY_RESYNC, NULL, 0, "After bytes that are not a record, look for more records",
	  1 },
	{ "quiet", 'q', NULL, 0, "Do not print the changes", 1 },
	{ 0 },
};

static error_t set_machine(struct cli_parse *p, const char *arg, void *member)
{
	u32 machine = jitdump_machine(arg);

	*(u32 *)member = machine;
	return machine ? 0 : cli_fail(p, "'%s' is not a machine; use x86_64, arm64 or 183", arg);
}

static const struct cli_field fields[] = {
	{ 'o', offsetof(struct repair_run, out), cli_set_text,
	  "missing argument; use unspool jitdump repair FILE -o OUT" },
	{ 'm', offsetof(struct repair_run, how.machine), set_machine, NULL },
	{ KEY_RESYNC, offsetof(struct repair_run, how.resync), cli_set_flag, NULL },
	{ 'q', offsetof(struct repair_run, is_quiet), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct repair_run, file), cli_set_text,
	  "missing argument; use unspool jitdump repair FILE -o OUT" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE -o OUT",
	.doc = "Write a repaired copy of FILE: without broken records, sorted by time, with "
	       "indexes, lines and unwind data as perf requires. The changes are printed on "
	       "stderr.\v"
	       "Exit status: 0 'unspool jitdump check' finds nothing in OUT, 1 OUT is written, but "
	       "not everything could be repaired, for example times of another clock.",
};

static void print_change(void *data, u64 off, const char *words)
{
	struct repair_run *run = data;

	if (run->n_changes++ < MAX_PRINTED && !run->is_quiet)
		fprintf(stderr, "%llu: %s\n", off, jitdump_safe(words));
}

static void still_wrong(void *data, const struct jd_finding *f)
{
	const struct jd_rule_text *rule = &jd_rules[f->rule];
	struct repair_run *run = data;

	if (rule->severity == JD_NOTE || run->n_left++)
		return;
	cli_error("can't be repaired: %s: %s; %s", rule->name, f->text, rule->cure);
}

static int write_bytes(void *data, FILE *out)
{
	const struct repair_run *run = data;

	fwrite(run->bytes, 1, run->len, out);
	return 0;
}

static int repair(struct repair_run *run, const struct jd_file *f)
{
	struct jd_file made = { 0 };
	struct jd_repaired result = { 0 };
	struct jd_check check = { .now = run->how.now, .found = still_wrong, .data = run };
	FILE *memory = open_memstream(&run->bytes, &run->len);
	int err;

	if (!memory)
		return CLI_FAILURE;
	err = jd_repair_file(f, &run->how, memory, &result);
	if (fclose(memory) || err) {
		cli_error("can't repair %s: %s", run->file, strerror(err ? -err : ENOMEM));
		return CLI_FAILURE;
	}
	if (run->n_changes > MAX_PRINTED && !run->is_quiet)
		fprintf(stderr, "and %llu more\n", run->n_changes - MAX_PRINTED);
	if (!run->is_quiet)
		fprintf(stderr,
			"%s: %llu LOADs, %llu with lines, %llu with unwind data, %llu moves; "
			"%llu records omitted\n",
			jitdump_safe(run->out), result.loads, result.lines, result.unwind,
			result.moves, result.dropped);
	made.bytes = (u8 *)run->bytes;
	made.len = run->len;
	if (jdr_header(made.bytes, made.len, &made.h) || jd_check_file(&made, &check) < 0)
		return CLI_FAILURE;
	err = jitdump_write(&(struct out_job){ write_bytes, run }, run->out);
	return err ? err : run->n_left ? CLI_FAILURE : CLI_OK;
}

static void cleanup_run(struct repair_run *run)
{
	free(run->bytes);
}

int jitdump_repair(int argc, char **argv)
{
	_cleanup_(cleanup_run) struct repair_run run = { 0 };
	_cleanup_(jd_file_deinit) struct jd_file f = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &run);

	if (status != CLI_CONTINUE)
		return status;
	status = jitdump_open(&f, run.file);
	if (status)
		return status;
	run.how.now = jitdump_now(run.file);
	run.how.on_change = print_change;
	run.how.data = &run;
	return repair(&run, &f);
}
