// SPDX-License-Identifier: BSD-2-Clause

#include "junit.h"

#include "../../inspect/util/cleanup.h"

#include <errno.h>
#include <stdlib.h>

/* Prints characters that XML 1.0 can't represent as '?'. */
static void print_xml(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '<' || c == '>' || c == '&' || c == '"')
			fprintf(f, "&#%u;", c);
		else
			fputc(c < ' ' || c == 0x7f ? '?' : c, f);
	}
}

int sim_junit_add(struct sim_junit *j, const struct sim_verdict *v)
{
	static const char *const elements[] = { NULL, "failure", "skipped" };
	FILE *f = j->body;

	if (!f)
		f = j->body = text_stream_open(&j->text);
	if (!f)
		return -ENOMEM;
	j->n++;
	j->n_failed += v->outcome == SIM_FAILED;
	j->n_skipped += v->outcome == SIM_CANNOT_RUN;
	fprintf(f, "  <testcase classname=\"%s.%s\" name=\"", v->arch, v->engine);
	print_xml(f, v->name);
	if (v->outcome == SIM_PASSED) {
		fputs("\"/>\n", f);
		return 0;
	}
	fprintf(f, "\">\n    <%s message=\"", elements[v->outcome]);
	print_xml(f, v->words);
	fputs("\"/>\n  </testcase>\n", f);
	return 0;
}

int sim_junit_end(struct sim_junit *j, const char *suite, FILE *to)
{
	_cleanup_free_ char *text = NULL;
	size_t len;
	int err = j->body ? text_stream_close(&j->text, j->body, &text, &len) : 0;

	if (to && !err)
		fprintf(to,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<testsuite name=\"%s\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n"
			"%s</testsuite>\n",
			suite, j->n, j->n_failed, j->n_skipped, text ? text : "");
	*j = (struct sim_junit){ 0 };
	return err;
}
