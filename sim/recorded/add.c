// SPDX-License-Identifier: BSD-2-Clause

/*
 * `unspool-sim add`: adds recorded cases to the fixtures.
 *
 *	fixtures/recorded/<runtime>/<version>/<arch>/NAME.core.zst    walked again by `run`
 *	                                             NAME.json        its note, for review
 *
 * Runtime and version come from the note, and the note is hostile. Therefore only the letters,
 * digits and ._- of the two are used in a path.
 */

#include "../../inspect/case/case.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../cmd/cli.h"
#include "../cmd/commands.h"
#include "walked.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY_WALK = 0x100, KEY_RAW, KEY_MINIMAL };

struct options {
	const char *fixtures;
	bool walk; /* also add plain cores, with the result of a native walk */
	struct sim_walked_options walked;
	char **cases;
	int n_cases;
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'C':
		o->fixtures = arg;
		return 0;
	case KEY_WALK:
		o->walk = true;
		return 0;
	case KEY_RAW:
		o->walked.raw = true;
		return 0;
	case KEY_MINIMAL:
		o->walked.is_minimal = true;
		return 0;
	case ARGP_KEY_ARGS:
		o->cases = state->argv + state->next;
		o->n_cases = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		return sim_usage("no case given; use unspool-sim add CASE...");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{ "fixtures", 'C', "DIR", 0, "Folder of the fixtures (default: fixtures)", 0 },
	{ "walk", KEY_WALK, NULL, 0,
	  "Also add plain cores (of gcore), with the native engine's walk, the memory that "
	  "the walk and the names needed, and the pages around that memory",
	  0 },
	{ "minimal", KEY_MINIMAL, NULL, 0,
	  "With --walk: omit the pages around the memory that the walk and the names needed", 0 },
	{ "raw", KEY_RAW, NULL, 0, "With --walk: do not blank private data", 0 },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "CASE...",
	.doc = "Add recorded cases to fixtures/recorded/RUNTIME/VERSION/ARCH, compressed, each "
	       "with its note beside it as JSON.\v"
	       "Exit status: 0 done, 1 a case can't be added, 2 usage.",
};

/*
 * Copies the characters of @word (@len of them) that are allowed in a path; if none is allowed,
 * copies "any".
 */
static void folder_of(const char *word, size_t len, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++)
		if (isalnum((u8)word[i]) || word[i] == '-' || word[i] == '_' ||
		    (word[i] == '.' && n))
			out[n++] = (char)tolower((u8)word[i]);
	out[n] = '\0';
	if (!n)
		snprintf(out, size, "any");
}

/*
 * Formats the folder of a runtime: "Node.js 24.21.0" becomes node/24.21.0; the folder of a native
 * program has no version.
 */
static void runtime_folder(const struct case_file *c, char *out, size_t size)
{
	static const char *const known[][2] = { { "Node.js", "node" }, { ".NET", "dotnet" } };
	const char *runtime = c->runtime ? c->runtime : "native", *space = strrchr(runtime, ' ');
	char name[40], version[40];

	folder_of(runtime, space ? (size_t)(space - runtime) : strlen(runtime), name, sizeof(name));
	for (u32 i = 0; i < ARRAY_SIZE(known); i++)
		if (!strncmp(runtime, known[i][0], strlen(known[i][0])))
			snprintf(name, sizeof(name), "%s", known[i][1]);
	folder_of(space ? space + 1 : "", space ? strlen(space + 1) : 0, version, sizeof(version));
	snprintf(out, size, "recorded/%s/%s/%s", name, version, case_arch_name(c->arch));
}

/* Makes @folder below @fixtures, with all missing parent folders. */
static int make_folders(const char *fixtures, const char *folder)
{
	_cleanup_free_ char *path = NULL;
	size_t base = strlen(fixtures);

	if (asprintf(&path, "%s/%s/", fixtures, folder) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	for (char *at = path + base + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		if (mkdir(path, 0777) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Sets @out to the file name of @path without the suffix. */
static int name_of(const char *path, char **out)
{
	const char *base = strrchr(path, '/');
	char *name = strdup(base ? base + 1 : path), *end;

	if (!name)
		return -ENOMEM;
	end = strstr(name, ".core");
	if (end && end != name)
		*end = '\0';
	*out = name;
	return 0;
}

static int write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "wxe");
	int err;

	if (!f)
		return -errno;
	err = fputs(text, f) == EOF || fputc('\n', f) == EOF ? -EIO : 0;
	if (fclose(f) && !err)
		err = -errno;
	if (err)
		unlink(path);
	return err;
}

/*
 * Adds a case. Writes the note first, because the note's file may already exist; removes the note
 * if writing the case fails.
 */
static int add_to(const struct case_file *c, const char *stem)
{
	_cleanup_free_ char *core = NULL, *json = NULL, *text = case_note_text(c);
	struct case_error why = { "" };
	int err;

	if (!text || asprintf(&core, "%s.core.zst", stem) < 0 ||
	    asprintf(&json, "%s.json", stem) < 0) {
		cli_error("out of memory");
		return CLI_FAILURE;
	}
	err = write_text(json, text);
	if (err) {
		cli_error("%s: %s", json,
			  err == -EEXIST ? "exists already; give the case another name"
					 : strerror(-err));
		return CLI_FAILURE;
	}
	if (!case_write(c, core, &why) && !chmod(core, 0644)) {
		puts(core);
		return CLI_OK;
	}
	unlink(json);
	cli_error("%s", why.text[0] ? why.text : strerror(errno));
	return CLI_FAILURE;
}

static int add_case(const struct case_file *c, const char *path, const char *fixtures)
{
	_cleanup_free_ char *name = NULL, *stem = NULL;
	char folder[128];
	int err;

	runtime_folder(c, folder, sizeof(folder));
	err = make_folders(fixtures, folder);
	if (!err)
		err = name_of(path, &name);
	if (!err && asprintf(&stem, "%s/%s/%s", fixtures, folder, name) < 0) {
		stem = NULL;
		err = -ENOMEM;
	}
	if (!err)
		return add_to(c, stem);
	cli_error("%s/%s: %s", fixtures, folder, strerror(-err));
	return CLI_FAILURE;
}

static void unlink_case(char **path)
{
	if (*path)
		unlink(*path);
	free(*path);
}

/* Makes the case of a plain core in a temporary file beside the destination. */
static int add_walked(const char *path, const struct options *o)
{
	_cleanup_(case_free) struct case_file *c = NULL;
	_cleanup_(unlink_case) char *made = NULL;
	struct sim_error error = { "out of memory" };
	struct case_error why = { "" };

	if (asprintf(&made, "%s/.walked-%d.core", o->fixtures, (int)getpid()) < 0)
		made = NULL;
	if (!made || sim_walked_write(path, &o->walked, made, &error)) {
		cli_error("%s", error.text);
		return CLI_FAILURE;
	}
	if (!case_read(made, &why, &c))
		return add_case(c, path, o->fixtures);
	cli_error("%s", why.text);
	return CLI_FAILURE;
}

static int add(const char *path, const struct options *o)
{
	_cleanup_(case_free) struct case_file *c = NULL;
	struct case_error why = { "" };

	if (case_read(path, &why, &c)) {
		cli_error("%s", why.text);
		return CLI_FAILURE;
	}
	if (c->is_plain_core && o->walk)
		return add_walked(path, o);
	if (c->walk || c->truth)
		return add_case(c, path, o->fixtures);
	cli_error("%s: contains no walk or truth to check; use `unspool capture` to make such "
		  "a case%s",
		  path, c->is_plain_core ? ", or --walk" : "");
	return CLI_FAILURE;
}

int cmd_add(int argc, char **argv)
{
	struct options o = { .fixtures = "fixtures" };
	int status = sim_parse(&argp, argc, argv, &o);
	struct stat st;

	if (status)
		return status;
	if (stat(o.fixtures, &st) || !S_ISDIR(st.st_mode)) {
		cli_error("%s: not a folder; use --fixtures DIR", o.fixtures);
		return CLI_USAGE;
	}
	for (int i = 0; i < o.n_cases; i++)
		if (add(o.cases[i], &o))
			status = CLI_FAILURE;
	return status;
}
