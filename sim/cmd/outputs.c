// SPDX-License-Identifier: BSD-2-Clause

#include "outputs.h"

#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int open_file(const char *path, struct whole_file *out)
{
	int err = path ? whole_file_open(path, false, out) : 0;

	if (err)
		cli_error("%s: %s", path, strerror(-err));
	return err;
}

static FILE *open_people(const struct sim_outputs *o)
{
	if (o->json_file.f != stdout && o->junit_file.f != stdout)
		return stdout;
	return fopen("/dev/null", "we");
}

int sim_outputs_open(const char *command, const struct sim_options *o, struct sim_outputs *out)
{
	const char *actions = getenv("GITHUB_ACTIONS");
	struct sim_outputs opened = { .command = command };
	int err = open_file(o->json, &opened.json_file);

	if (!err)
		err = open_file(o->junit, &opened.junit_file);
	if (!err && !(opened.people = open_people(&opened))) {
		err = -errno;
		cli_error("/dev/null: %s", strerror(errno));
	}
	if (err) {
		whole_file_close(&opened.json_file, false);
		whole_file_close(&opened.junit_file, false);
		return err;
	}
	opened.json = opened.json_file.f;
	if (actions && *actions)
		opened.github = opened.people == stdout ? stdout : stderr;
	*out = opened;
	return 0;
}

/* Escapes %, CR and LF for GitHub's workflow commands; in a title, also : and , */
static void print_escaped(FILE *f, const char *text, const char *special)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			fprintf(f, "%%%02X", (unsigned char)*text);
		else
			fputc(*text, f);
	}
}

static void annotate(const struct sim_outputs *o, const struct sim_verdict *v)
{
	bool is_failed = v->outcome == SIM_FAILED;

	fprintf(o->github, "::%s title=%s ", is_failed ? "error" : "warning", o->command);
	print_escaped(o->github, v->name, "%\r\n:,");
	fprintf(o->github, " %s %s::", v->arch, v->engine);
	print_escaped(o->github, v->words, "%\r\n");
	fputc('\n', o->github);
}

int sim_outputs_verdict(struct sim_outputs *o, const struct sim_verdict *v)
{
	if (o->github && v->outcome != SIM_PASSED)
		annotate(o, v);
	return o->junit_file.f ? sim_junit_add(&o->junit, v) : 0;
}

static int close_file(struct whole_file *file, bool is_whole)
{
	const char *path = file->path;
	int err = whole_file_close(file, is_whole);

	if (err)
		cli_error("%s: can't write: %s", strcmp(path, "-") ? path : "standard output",
			  strerror(-err));
	return err;
}

int sim_outputs_close(struct sim_outputs *o, bool is_whole)
{
	int json, junit;

	fflush(o->people); /* before any message */
	if (o->people != stdout)
		fclose(o->people);
	json = close_file(&o->json_file, is_whole);
	junit = sim_junit_end(&o->junit, o->command, is_whole ? o->junit_file.f : NULL);
	if (junit)
		cli_error("out of memory for the JUnit file");
	if (close_file(&o->junit_file, is_whole && !junit))
		junit = -EIO;
	return json ? json : junit;
}
