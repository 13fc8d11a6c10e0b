// SPDX-License-Identifier: BSD-2-Clause

#include "cli.h"

#include "../../inspect/util/text_stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The options being parsed, for parsers that get no pointer to them. */
static struct cli_parse *current;

int sim_usage(const char *fmt, ...)
{
	char text[CLI_ERROR_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return cli_fail(current, "%s", text);
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
	cli_error("standard output: can't write: %s", strerror(-err));
	return CLI_FAILURE;
}

/* The parent of the command's own parser. The parent passes the input to this parser. */
static error_t parse_above(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	current = state->input;
	state->child_inputs[0] = current->input;
	return 0;
}

int sim_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	const struct argp inner = { .options = argp->options,
				    .parser = argp->parser,
				    .children = argp->children };
	const struct argp_child children[] = { { &inner, 0, NULL, 0 }, { 0 } };
	const struct argp above = { .parser = parse_above,
				    .args_doc = argp->args_doc,
				    .doc = argp->doc,
				    .children = children };
	int status = cli_parse_or_exit_status(&above, argc, argv, input);

	if (status == CLI_OK)
		exit(sim_finish(CLI_OK)); /* help was printed */
	return status == CLI_CONTINUE ? CLI_OK : status;
}
