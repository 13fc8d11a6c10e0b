// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump elf`: makes an ELF file for gdb, objdump, addr2line and other tools. */

#include "jitdump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../inspect/jitdump/jd_elf.h"
#include "../../inspect/util/cleanup.h"
#include "../out/out.h"

struct elf_run {
	const char *file, *out;
	u64 time, n;
	struct jd_file f;
	int err; /* negative errno of writing the ELF file */
};

enum { KEY_AT = 0x100 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write to OUT (required)", 1 },
	{ "at", KEY_AT, "SECONDS", 0,
	  "Write the code that was live at this time, as 'dump' prints times (default: at the end)",
	  1 },
	{ 0 },
};

static const struct cli_field fields[] = {
	{ 'o', offsetof(struct elf_run, out), cli_set_text,
	  "missing argument; use unspool jitdump elf FILE -o OUT" },
	{ KEY_AT, offsetof(struct elf_run, time), jitdump_set_time, NULL },
	{ ARGP_KEY_ARG, offsetof(struct elf_run, file), cli_set_text,
	  "missing argument; use unspool jitdump elf FILE -o OUT" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE -o OUT",
	.doc = "Write the code of the jitdump FILE that was live at one time as an ELF file: code "
	       "at its run-time addresses, one symbol per function, and line numbers.\v"
	       "Exit status: 0 success, 1 FILE can't be read, no code was live, or OUT can't be "
	       "written.",
};

static int write_elf(void *data, FILE *out)
{
	struct elf_run *run = data;

	run->err = jd_elf_write(&run->f, fileno(out), run->time, &run->n);
	return run->err;
}

static void cleanup_run(struct elf_run *run)
{
	jd_file_deinit(&run->f);
}

static const char *reason(const struct elf_run *run)
{
	switch (run->err) {
	case -ENODATA:
		return "no code was live at that time; 'unspool jitdump dump' prints all times";
	case -EINVAL:
		return "the header states no machine; 'unspool jitdump repair --machine' sets one";
	case -E2BIG:
		return "the code is in too many address ranges or spans too many bytes";
	default:
		return NULL;
	}
}

int jitdump_elf(int argc, char **argv)
{
	_cleanup_(cleanup_run) struct elf_run run = { .time = JITDUMP_AT_END };
	int status = cli_set_fields(&argp, fields, argc, argv, &run), err;

	if (status != CLI_CONTINUE)
		return status;
	status = jitdump_open(&run.f, run.file);
	if (status)
		return status;
	err = out_write(&(struct out_job){ write_elf, &run }, run.out, OUT_OWNER_SELF);
	if (err == 0) {
		fprintf(stderr, "%s: %llu functions\n", jitdump_safe(run.out), run.n);
		return CLI_OK;
	}
	if (reason(&run))
		cli_error("%s: %s", run.file, reason(&run));
	else
		cli_error("can't write %s: %s", run.out, strerror(-err));
	return CLI_FAILURE;
}
