// SPDX-License-Identifier: BSD-2-Clause

/* `unspool jitdump to-perfmap`: writes the names in the format of /tmp/perf-PID.map. */

#include "jitdump.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../inspect/jitdump/jd_index.h"
#include "../../inspect/util/cleanup.h"
#include "../out/out.h"

struct perfmap_run {
	const char *file, *out;
	bool with_all;
	u64 time;
	struct jd_index index;
};

enum { KEY_AT = 0x100 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write to OUT instead of stdout", 1 },
	{ "at", KEY_AT, "SECONDS", 0,
	  "Write the code that was live at this time, as 'dump' prints times (default: at the end)",
	  1 },
	{ "all", 'a', NULL, 0, "Write all code, live or not, in file order", 1 },
	{ 0 },
};

static const struct cli_field fields[] = {
	{ 'o', offsetof(struct perfmap_run, out), cli_set_text, NULL },
	{ KEY_AT, offsetof(struct perfmap_run, time), jitdump_set_time, NULL },
	{ 'a', offsetof(struct perfmap_run, with_all), cli_set_flag, NULL },
	{ ARGP_KEY_ARG, offsetof(struct perfmap_run, file), cli_set_text,
	  "missing argument; use unspool jitdump to-perfmap FILE" },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.args_doc = "FILE",
	.doc = "Write the names of the jitdump FILE as a perf map: one line per function, with "
	       "address, size and name. A perf map has no times, so by default it contains only "
	       "the code that was live at one time.\v"
	       "Exit status: 0 success, 1 FILE can't be read or OUT can't be written.",
};

static int read_index(struct perfmap_run *run, const struct jd_file *f)
{
	struct jdr_record rec;
	u64 at = 0, time = 0;
	int err = 0;

	while (!err && jd_file_next(f, &at, &rec) == JDR_RECORD) {
		time = rec.time > time ? rec.time : time;
		if (rec.id == JD_LOAD && (rec.fault == JDR_SOUND || rec.fault == JDR_NO_CODE))
			err = jd_index_add(&run->index, &(struct jd_code){ .addr = rec.load.addr,
									   .len = rec.load.code_len,
									   .from = time,
									   .name = rec.load.name });
		else if (rec.id == JD_MOVE && !rec.fault)
			err = jd_index_move(&run->index, rec.move.old_addr, rec.move.new_addr,
					    time);
		err = err == -ENOENT ? 0 : err;
	}
	return err;
}

/* Replaces control characters, because a line feed would start another line. */
static void print_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc((u8)*name < ' ' || *name == 0x7f ? '?' : *name, out);
	fputc('\n', out);
}

static int write_map(void *data, FILE *out)
{
	const struct perfmap_run *run = data;

	for (size_t i = 0; i < run->index.n; i++) {
		const struct jd_code *c = run->index.all[i];

		if (!c->len || (!run->with_all && (c->from > run->time || c->until <= run->time)))
			continue;
		fprintf(out, "%llx %llx ", c->addr, c->len);
		print_name(out, c->name);
	}
	return 0;
}

static void cleanup_run(struct perfmap_run *run)
{
	jd_index_deinit(&run->index);
}

int jitdump_to_perfmap(int argc, char **argv)
{
	_cleanup_(cleanup_run) struct perfmap_run run = { .time = JITDUMP_AT_END };
	_cleanup_(jd_file_deinit) struct jd_file f = { 0 };
	int status = cli_set_fields(&argp, fields, argc, argv, &run), err;

	if (status != CLI_CONTINUE)
		return status;
	status = jitdump_open(&f, run.file);
	if (status)
		return status;
	err = read_index(&run, &f);
	if (err) {
		cli_error("can't read %s: %s", run.file, strerror(-err));
		return CLI_FAILURE;
	}
	return jitdump_write(&(struct out_job){ write_map, &run }, run.out);
}
