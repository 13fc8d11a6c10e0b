// SPDX-License-Identifier: BSD-2-Clause

#include "cli_fields.h"

#include <stdlib.h>
#include <string.h>

error_t cli_set_flag(struct cli_parse *p, const char *arg, void *member)
{
	(void)p;
	(void)arg;
	*(bool *)member = true;
	return 0;
}

error_t cli_set_text(struct cli_parse *p, const char *arg, void *member)
{
	(void)p;
	*(const char **)member = arg;
	return 0;
}

error_t cli_set_word(struct cli_parse *p, const char *option, const char *arg,
		     const char *const *words, u32 n, u32 *out)
{
	const char *near = cli_nearest(arg, words, n);
	u32 i = 0;

	while (i < n && strcmp(arg, words[i]) != 0)
		i++;
	if (i == n && near)
		return cli_fail(p, "%s: '%s' is unknown; did you mean '%s'?", option, arg, near);
	if (i == n)
		return cli_fail(p, "%s: '%s' is unknown; see --help", option, arg);
	*out = i;
	return 0;
}

error_t cli_set_number(struct cli_parse *p, const char *option, const char *arg, u32 max, u32 *out)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (*end || !n || n > max || *arg == '-')
		return cli_fail(p, "%s: '%s' is no number from 1 to %u", option, arg, max);
	*out = (u32)n;
	return 0;
}

static error_t set_argument(struct cli_parse *p, const struct argp_state *state, const char *arg,
			    const char **taken)
{
	const char *command = strrchr(state->name, ' '), *name = state->root_argp->args_doc;

	name += strspn(name, "[");
	if (*taken)
		return cli_fail(p, "unexpected argument '%s'; %s takes one %.*s", arg,
				command ? command + 1 : state->name, (int)strcspn(name, "] \n"),
				name);
	*taken = arg;
	return 0;
}

static error_t parse_field(int key, char *arg, struct argp_state *state)
{
	struct cli_parse *p = state->input;

	for (const struct cli_field *f = p->fields; f->set; f++) {
		void *member = (char *)p->input + f->off;

		if (key == ARGP_KEY_END && f->missing && !*(void **)member)
			return cli_fail(p, "%s", f->missing);
		if (key == f->key)
			return key == ARGP_KEY_ARG ? set_argument(p, state, arg, member)
						   : f->set(p, arg, member);
	}
	return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

int cli_set_fields(const struct argp *argp, const struct cli_field *fields, int argc, char **argv,
		   void *input)
{
	struct cli_parse p = { .input = input, .fields = fields };
	struct argp whole = *argp;

	whole.parser = parse_field;
	return cli_parse_status(&whole, argc, argv, &p);
}
