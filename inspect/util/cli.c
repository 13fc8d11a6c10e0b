/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Each error is one line. argp would print three lines for an unknown option, so argp's messages
 * are disabled. When argp fails, the offending word is searched for again here, because argp
 * reports only the word at which argp stopped, and not the reason.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "term.h"

#define MAX_WORD 64
#define MAX_OPTIONS 64
#define KEY_HELP 'h'
#define KEY_VERSION 'V'

const char *cli_program = "unspool";

static const struct argp_option common_options[] = {
	{ "help", KEY_HELP, NULL, 0, "Show this help", -1 },
	{ "version", KEY_VERSION, NULL, 0, "Show the version", -1 },
	{ 0 },
};

struct parse_context {
	struct cli_parse *p;
	const struct argp *user; /* the command's own options */
	const struct argp *whole; /* the command's and the common options */
};

void cli_error(const char *fmt, ...)
{
	char text[2 * CLI_ERROR_LEN], safe[3 * CLI_ERROR_LEN];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "%s: %s\n", cli_program, term_escape(text, safe, sizeof(safe)));
}

int cli_fail(struct cli_parse *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->error[0]) {
		va_start(ap, fmt);
		vsnprintf(p->error, sizeof(p->error), fmt, ap);
		va_end(ap);
	}
	return EINVAL;
}

/* The Levenshtein distance of two words, which are truncated to MAX_WORD. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t n = strnlen(b, MAX_WORD), row[MAX_WORD + 1];

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; i < MAX_WORD && a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			size_t cost = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j + 1] + 1 < cost)
				cost = row[j + 1] + 1;
			row[j + 1] = cost;
		}
	}
	return row[n];
}

const char *cli_nearest(const char *word, const char *const *candidates, size_t n)
{
	size_t len = strlen(word), best = len < 4 ? 2 : len / 2 + 1; /* a candidate at this
								      * distance is not near */
	const char *found = NULL;

	if (len > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(word, candidates[i]);

		if (d < best) {
			best = d;
			found = candidates[i];
		}
	}
	return found;
}

/*
 * The options of a command and the options that all commands have. An alias has the argument of the
 * option above it.
 */
struct option_list {
	struct argp_option o[MAX_OPTIONS];
	size_t n;
};

static void list_add(struct option_list *l, const struct argp_option *o)
{
	for (; o && (o->name || o->key || o->doc) && l->n < MAX_OPTIONS; o++) {
		l->o[l->n] = *o;
		if ((o->flags & OPTION_ALIAS) && l->n)
			l->o[l->n].arg = l->o[l->n - 1].arg;
		l->n++;
	}
}

static void list_add_all(struct option_list *l, const struct argp *argp)
{
	list_add(l, argp->options);
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		list_add_all(l, c->argp);
}

static bool blame_long(struct cli_parse *p, const struct option_list *l, const char *word,
		       bool is_last)
{
	size_t len = strcspn(word, "="), n_names = 0, n_prefix = 0;
	const char *names[MAX_OPTIONS], *near;
	const struct argp_option *hit = NULL;
	char name[MAX_WORD + 1];

	snprintf(name, sizeof(name), "%.*s", (int)(len < MAX_WORD ? len : MAX_WORD), word);
	for (size_t i = 0; i < l->n; i++) {
		if (!l->o[i].name)
			continue;
		names[n_names++] = l->o[i].name;
		if (strncmp(l->o[i].name, name, strlen(name)))
			continue;
		hit = &l->o[i];
		n_prefix++;
		if (!strcmp(hit->name, name)) {
			n_prefix = 1;
			break;
		}
	}
	if (n_prefix > 1)
		return cli_fail(p, "--%s could mean several options; write it in full", name);
	if (hit && !hit->arg && word[len] == '=')
		return cli_fail(p, "--%s takes no value; drop '%s'", hit->name, word + len);
	if (hit && hit->arg && word[len] != '=' && is_last)
		return cli_fail(p, "--%s needs a value: --%s %s", hit->name, hit->name, hit->arg);
	if (hit)
		return false;
	near = cli_nearest(name, names, n_names);
	if (near)
		return cli_fail(p, "unknown option --%s; did you mean --%s?", name, near);
	return cli_fail(p, "unknown option --%s; --help lists the options", name);
}

static bool blame_short(struct cli_parse *p, const struct option_list *l, const char *word,
			bool is_last)
{
	for (const char *c = word; *c; c++) {
		const struct argp_option *hit = NULL;

		for (size_t i = 0; i < l->n && !hit; i++) {
			if (l->o[i].key == *c)
				hit = &l->o[i];
		}
		if (!hit)
			return cli_fail(p, "unknown option -%c; --help lists the options", *c);
		if (hit->arg && !c[1] && is_last)
			return cli_fail(p, "-%c needs a value: -%c %s", *c, *c, hit->arg);
		if (hit->arg)
			return false;
	}
	return false;
}

/* Reports the error in @word, if any. Returns whether there was one. */
static bool blame(const struct parse_context *c, const char *word, bool is_last)
{
	struct option_list list = { .n = 0 };

	list_add_all(&list, c->user);
	list_add(&list, common_options);
	if (!strncmp(word, "--", 2))
		return blame_long(c->p, &list, word + 2, is_last);
	if (word[0] == '-')
		return blame_short(c->p, &list, word + 1, is_last);
	return false;
}

/*
 * Finds the word with the error: argp stopped at the word before state->next, or in the word at
 * state->next, which can be a cluster of one-letter options.
 */
static void blame_state(const struct parse_context *c, const struct argp_state *state)
{
	int next = state->next;

	if (c->p->error[0])
		return;
	if (next > 1 && blame(c, state->argv[next - 1], next == state->argc))
		return;
	if (next < state->argc && blame(c, state->argv[next], next + 1 == state->argc))
		return;
	cli_fail(c->p, "invalid options; --help lists the options");
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct parse_context *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = c->p;
		return 0;
	case ARGP_KEY_ARG:
		if (c->user->args_doc)
			return ARGP_ERR_UNKNOWN;
		return cli_fail(c->p, "unexpected argument '%s'; %s takes no arguments", arg,
				state->name);
	case KEY_HELP:
		argp_help(c->whole, stdout, ARGP_HELP_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC,
			  state->name);
		break;
	case KEY_VERSION:
		printf("%s %s\n", cli_program, UNSPOOL_VERSION);
		break;
	case ARGP_KEY_ERROR:
		blame_state(c, state);
		return ARGP_ERR_UNKNOWN;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	c->p->done = true;
	state->next = state->argc;
	return 0;
}

int cli_parse(const struct argp *argp, int argc, char **argv, struct cli_parse *p)
{
	struct argp inner = { .options = argp->options,
			      .parser = argp->parser,
			      .children = argp->children };
	struct argp_child children[] = { { &inner, 0, NULL, 0 }, { 0 } };
	struct argp whole = {
		.options = common_options,
		.parser = parse_common,
		.args_doc = argp->args_doc,
		.doc = argp->doc,
		.children = children,
	};
	struct parse_context context = { .p = p, .user = argp, .whole = &whole };
	unsigned flags = ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_EXIT | ARGP_NO_HELP;
	char *name = argv[0];
	int err;

	p->error[0] = '\0';
	p->done = false;
	err = argp_parse(&whole, argc, argv, flags, NULL, &context);
	argv[0] = name;
	if (p->done)
		return 0;
	if (err == ENOMEM) {
		snprintf(p->error, sizeof(p->error), "out of memory");
		return -ENOMEM;
	}
	return err || p->error[0] ? -EINVAL : 0;
}

int cli_parse_status(const struct argp *argp, int argc, char **argv, struct cli_parse *p)
{
	int err = cli_parse(argp, argc, argv, p);

	if (err) {
		cli_error("%s", p->error);
		return err == -ENOMEM ? CLI_FAILURE : CLI_USAGE;
	}
	return p->done ? CLI_OK : CLI_CONTINUE;
}

int cli_parse_or_exit_status(const struct argp *argp, int argc, char **argv, void *input)
{
	return cli_parse_status(argp, argc, argv, &(struct cli_parse){ .input = input });
}
