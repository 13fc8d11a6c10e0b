// SPDX-License-Identifier: BSD-2-Clause

#include "cli.h"

#include "../../inspect/util/term.h"
#include "../../inspect/util/text_stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "unspool-sim " UNSPOOL_VERSION;

static bool has_complained;

static void complain(const char *fmt, va_list ap)
{
	char text[1024], safe[2048];

	vsnprintf(text, sizeof(text), fmt, ap);
	fprintf(stderr, "unspool-sim: %s\n", term_escape(text, safe, sizeof(safe)));
	has_complained = true;
}

void sim_complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(fmt, ap);
	va_end(ap);
}

int sim_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!has_complained)
		complain(fmt, ap);
	va_end(ap);
	return EINVAL;
}

int sim_refuse(int err, const char *words)
{
	sim_usage("%s", words);
	return err == -ENOMEM ? ENOMEM : EINVAL;
}

int sim_finish(int status)
{
	int err = text_stream_flush(stdout);

	if (!err || status)
		return status;
	sim_complain("standard output: can't write: %s", strerror(-err));
	return SIM_EXIT_FAILURE;
}

static const struct argp_option common_options[] = {
	{ "help", 'h', NULL, 0, "Show this help", -1 },
	{ "version", 'V', NULL, 0, "Show the version", -1 },
	{ 0 },
};

/* With ARGP_NO_ERRS, which keeps argp from printing three lines, it prints no help either. */
struct above {
	const struct argp *argp;
	void *input;
};

/* Stands above the command's own parser to see which word it gave up at. */
static error_t parse_above(int key, char *arg, struct argp_state *state)
{
	struct above *above = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = above->input;
		return 0;
	case 'h':
		argp_help(above->argp, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
			  state->argv[0]);
		exit(sim_finish(SIM_EXIT_OK));
	case 'V':
		puts(argp_program_version);
		exit(sim_finish(SIM_EXIT_OK));
	case ARGP_KEY_ERROR:
		sim_usage("can't understand '%s'; '%s --help' lists the options",
			  state->argv[state->next > 1 ? state->next - 1 : 0], state->argv[0]);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int sim_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp inner = {
		.options = argp->options,
		.parser = argp->parser,
		.children = argp->children,
	};
	const struct argp_child children[] = { { &inner, 0, NULL, 0 }, { 0 } };
	const struct argp whole = {
		.options = common_options,
		.parser = parse_above,
		.args_doc = argp->args_doc,
		.doc = argp->doc,
		.children = children,
	};

	struct above above = { &whole, input };
	error_t err;

	has_complained = false;
	err = argp_parse(&whole, argc, argv, ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP, NULL,
			 &above);
	if (!err)
		return 0;
	if (err == ENOMEM) {
		sim_usage("out of memory");
		return SIM_EXIT_FAILURE;
	}
	sim_usage("these options can't be understood; '%s --help' lists them", argv[0]);
	return SIM_EXIT_USAGE;
}
