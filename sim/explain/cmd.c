// SPDX-License-Identifier: BSD-2-Clause

/*
 * `unspool-sim explain`. Exit status: 0: the walk is right, or the true stack is unknown; 1: the
 * walk is wrong, or could not be made; 2: the command line is wrong.
 */

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/text_stream.h"
#include "../case/cases.h"
#include "../cmd/cli.h"
#include "../cmd/commands.h"
#include "../cmd/options.h"
#include "../../inspect/util/whole_file.h"
#include "explain.h"
#include "pick.h"

#include <errno.h>
#include <string.h>

struct options {
	const struct sim_arch *arch; /* NULL: the first architecture that the case supports */
	struct sim_paths paths;
	const char *path; /* path of the case */
	const char *at, *json, *file; /* NULL: not given */
	struct pick pick;
	u32 max_frames;
};

/* The walk to be explained. */
struct explanation {
	const struct options *o;
	const struct sim_case *c;
	struct explain e;
	FILE *text, *json; /* NULL: not requested */
};

enum { KEY_AT = 256, KEY_NTH, KEY_FRAMES, KEY_FILE };

static const struct argp_option argp_options[] = {
	{ "arch", 'A', "ARCH", 0, "x86_64 or arm64 (default: the case's first)", 0 },
	{ "at", KEY_AT, "STOP", 0,
	  "For an executed case, stop at N, the N-th executed instruction, or at 0xPC or "
	  "FUNCTION[+OFF]. By default, explain stops where the walk is wrong",
	  0 },
	{ "nth", KEY_NTH, "K", 0, "Stop at the K-th arrival at PC or FUNCTION, not at the first",
	  0 },
	{ "engine", 'e', "ENGINE", 0,
	  "Must be native, the only engine that can trace a walk; the other engines give the same "
	  "results",
	  0 },
	{ "frames", KEY_FRAMES, "N", 0,
	  "Print the first N frames (default 32), the frames around the first wrong frame, and the "
	  "last frame",
	  0 },
	{ "file", KEY_FILE, "FILE", 0,
	  "New path of the runtime's file that a recorded case maps, if the file has moved", 0 },
	{ "json", 'j', "FILE", 0, "Write JSON lines; if FILE is -, they replace the text on stdout",
	  0 },
	{ 0 },
};

/* Parses a count, which must be at least 1. */
static int parse_count(const char *option, const char *text, u32 *out)
{
	u32 n;

	if (!sim_parse_u32(text, &n) || !n)
		return sim_usage("--%s needs a number from 1 to 1000000, not '%s'", option, text);
	*out = n;
	return 0;
}

static int parse_arch(const char *name, const struct sim_arch **out)
{
	for (u32 i = 0; i < SIM_N_ARCHS; i++)
		if (!strcmp(name, sim_archs[i]->name)) {
			*out = sim_archs[i];
			return 0;
		}
	return sim_usage("--arch needs x86_64 or arm64, not '%s'", name);
}

static int parse_path(struct options *o, const char *path)
{
	struct sim_error error;
	int err = sim_paths_add(&o->paths, path, &error);

	if (err)
		return sim_refuse(err, error.text);
	if (o->paths.n > 1)
		return sim_usage("explain needs exactly one case; '%s' makes %u", path, o->paths.n);
	o->path = o->paths.at[0];
	return 0;
}

static int parse_end(struct options *o)
{
	if (!o->path)
		return sim_usage("no case given; use unspool-sim explain CASE");
	if (o->at && pick_parse(o->at, &o->pick))
		return sim_usage("--at needs N, 0xPC or FUNCTION[+OFF], not '%s'", o->at);
	if (o->pick.kind == PICK_INSN && o->pick.nth != 1)
		return sim_usage("--nth needs --at 0xPC or FUNCTION; the N-th instruction is "
				 "executed only once");
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'A':
		return parse_arch(arg, &o->arch);
	case KEY_AT:
		o->at = arg;
		return 0;
	case KEY_NTH:
		return parse_count("nth", arg, &o->pick.nth);
	case 'e':
		if (strcmp(arg, "native") != 0)
			return sim_usage(
				"--engine needs native, the only one with a trace, not '%s'", arg);
		return 0;
	case KEY_FRAMES:
		return parse_count("frames", arg, &o->max_frames);
	case KEY_FILE:
		o->file = arg;
		return 0;
	case 'j':
		o->json = arg;
		return 0;
	case ARGP_KEY_ARG:
		return parse_path(o, arg);
	case ARGP_KEY_END:
		return parse_end(o);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse_option,
	.args_doc = "CASE",
	.doc = "Explain one walk step by step: every read, every decision with its reason, the "
	       "code around the pc, the meaning of each word on the stack, and the step that went "
	       "wrong.\v"
	       "CASE is a file, or stack:NAME for a bundled stack.\n"
	       "Exit status: 0 the walk is right, or the truth is unknown, 1 the walk is wrong or "
	       "could not be made, 2 usage.",
};

/* The walk and the names as text. */
struct output {
	struct text_stream stream;
	FILE *f; /* NULL: not requested */
};

static int output_open(struct output *o, FILE *to)
{
	o->f = to ? text_stream_open(&o->stream) : NULL;
	return to && !o->f ? -ENOMEM : 0;
}

/* Closes the output, and copies it to @to if @err is 0. */
static int output_close(struct output *o, FILE *to, int err)
{
	_cleanup_free_ char *text = NULL;
	size_t len = 0;
	int end;

	if (!o->f)
		return err;
	end = text_stream_close(&o->stream, o->f, &text, &len);
	if (!err && !end)
		fwrite(text, 1, len, to);
	return err ? err : end;
}

/* Prints the walk, in which names are known, and then how the names were found. */
static int print(struct explanation *t)
{
	struct output text = { 0 }, json = { 0 };
	int err = output_open(&text, t->text);

	if (!err)
		err = output_open(&json, t->json);
	if (!err)
		err = explain_find_names(&t->e, t->o->file, text.f, json.f);
	if (t->text && !err)
		err = explain_print(&t->e, t->text);
	if (t->json && !err)
		err = explain_json(&t->e, t->json);
	err = output_close(&text, t->text, err);
	return output_close(&json, t->json, err);
}

static int explain_stop(void *ctx, const struct sim_stop *stop)
{
	struct explanation *t = ctx;
	int err;

	t->e.c = t->c;
	t->e.target = t->c->target;
	t->e.target.regs = stop->regs;
	t->e.truth = stop->truth.pcs ? stop->truth : (struct sim_truth){ 0 };
	t->e.max_frames = t->o->max_frames;
	err = explain_make(&t->e);
	if (err)
		return err;
	err = print(t);
	explain_deinit(&t->e);
	return err;
}

static int explain_laid(struct explanation *t)
{
	struct sim_stop stop = { .regs = t->c->target.regs, .truth = t->c->truth };

	snprintf(t->e.why, sizeof(t->e.why), "the only stop of the case");
	return explain_stop(t, &stop);
}

static int load(const struct options *o, struct sim_case **out, struct sim_error *error)
{
	int err = -ENOTSUP;

	for (u32 i = 0; i < SIM_N_ARCHS && err == -ENOTSUP; i++)
		if (!o->arch || o->arch == sim_archs[i])
			err = sim_case_load(o->path, sim_archs[i], out, error);
	if (err == -ENOTSUP)
		return sim_fail(error, -EINVAL, "the case is not for %s",
				o->arch ? o->arch->name : "any architecture");
	return err;
}

/*
 * Explains one stop of the case. Return: as pick_stop(); the caller repeats the call after -EAGAIN.
 */
static int explain_case(struct explanation *t, struct pick *pick, struct sim_error *error)
{
	struct sim_case *c = NULL;
	int err = load(t->o, &c, error);

	if (err)
		return err;
	t->c = c;
	err = pick_check(pick, c, error);
	if (!err && c->is_executed)
		err = pick_stop(c, pick, t->e.why, sizeof(t->e.why), explain_stop, t, error);
	else if (!err)
		err = explain_laid(t);
	sim_case_free(t->o->path, &c);
	return err;
}

/* Explains the walk. Return: 0, or a negative errno after a message. */
static int explain(struct explanation *t)
{
	struct sim_error error = { "out of memory" };
	struct pick pick = t->o->pick;
	int err = explain_case(t, &pick, &error);

	if (err == -EAGAIN)
		err = explain_case(t, &pick, &error);
	if (err && !strncmp(error.text, t->o->path, strlen(t->o->path)))
		cli_error("%s", error.text);
	else if (err)
		cli_error("%s: %s", t->o->path, error.text);
	return err;
}

static int open_and_explain(const struct options *o, struct explanation *t)
{
	struct whole_file json = { 0 };
	int err = o->json ? whole_file_open(o->json, false, &json) : 0, end;

	if (err) {
		cli_error("%s: %s", o->json, strerror(-err));
		return CLI_FAILURE;
	}
	t->o = o;
	t->json = json.f;
	t->text = json.f == stdout ? NULL : stdout;
	err = explain(t);
	end = whole_file_close(&json, !err);
	if (end)
		cli_error("%s: %s", o->json, strerror(-end));
	if (err == -EINVAL)
		return CLI_USAGE;
	return err || end || !t->e.is_right || t->e.missing[0] ? CLI_FAILURE : CLI_OK;
}

static int begin(const struct options *o)
{
	_cleanup_free_ struct explanation *t = calloc(1, sizeof(*t));

	if (t)
		return open_and_explain(o, t);
	cli_error("out of memory");
	return CLI_FAILURE;
}

int cmd_explain(int argc, char **argv)
{
	struct options o = { .max_frames = 32, .pick.nth = 1 };
	int status = sim_parse(&argp, argc, argv, &o);

	if (!status)
		status = begin(&o);
	sim_paths_deinit(&o.paths);
	return status;
}
