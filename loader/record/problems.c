// SPDX-License-Identifier: BSD-2-Clause

/* Prints, at the end of a recording, what the profile lacks. */

#include <stdio.h>
#include <string.h>

#include "../../inspect/util/term.h"
#include "../symbols/module.h"
#include "record.h"

#define MAX_PROBLEMS 3

static void print_module(const struct module_info *info, const char *why, void *data)
{
	char path[1024], words[512];
	u32 *n = data;

	if ((*n)++ < MAX_PROBLEMS)
		fprintf(stderr, "%s: source lines or names are missing: %s\n",
			term_escape(info->path, path, sizeof(path)),
			term_escape(why, words, sizeof(words)));
}

static void print_map(const char *text, void *data)
{
	char words[1024];

	(void)data;
	fprintf(stderr, "%s\n", term_escape(text, words, sizeof(words)));
}

static void print_runtime(const char *runtime, const char *why, void *data)
{
	char name[256], words[1024];

	(void)data;
	fprintf(stderr, "%s: %s\n", term_escape(runtime, name, sizeof(name)),
		term_escape(why, words, sizeof(words)));
}

void recording_print_unheard(const struct recording *r)
{
	struct session_counts c = session_counts(r->session);

	if (c.n_unheard)
		fprintf(stderr,
			"a CPU came back online %u time%s, but its events could not be opened "
			"again (%s), so samples and processes of that CPU are missing\n",
			c.n_unheard, c.n_unheard == 1 ? "" : "s", strerror(-c.unheard_err));
}

void recording_print_problems(const struct recording *r)
{
	u32 n = 0;

	if (r->options.quiet)
		return;
	session_each_problem(r->session, print_runtime, print_module, &n);
	if (n > MAX_PROBLEMS)
		fprintf(stderr, "and %u more files\n", n - MAX_PROBLEMS);
	deferred_maps_each_problem(r->outputs.maps, print_map, NULL);
}
