/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Prints the executed lines of a function, with their text if the source file is readable:
 *
 *	work  /srv/app.js
 *	   self   total   line
 *	                     5  function work(n) {
 *	  10.0 %  12.0 %     6      return n * n;
 *
 * The file may have changed since the recording.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/file_read.h"
#include "cell.h"
#include "section.h"

#define MAX_SOURCE (16u << 20)
#define MAX_GAP 4 /* longest run of lines without samples that is printed in full */
#define AROUND 2
#define TAB "    "

struct executed {
	const struct query_row *row;
	const char *file; /* the part of row->where before ":LINE"; not NUL-terminated */
	size_t file_len;
	u32 line;
};

struct source {
	char *text;
	const char *at; /* start of the current line; NULL after the last one */
	u32 line;
};

static int compare(const void *a, const void *b)
{
	const struct executed *x = a, *y = b;
	int order = strcmp(x->row->name, y->row->name);

	if (!order)
		order = x->file_len != y->file_len ? (x->file_len < y->file_len ? -1 : 1)
						   : memcmp(x->file, y->file, x->file_len);
	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static bool is_same_function(const struct executed *a, const struct executed *b)
{
	return a->file_len == b->file_len && !memcmp(a->file, b->file, a->file_len) &&
	       !strcmp(a->row->name, b->row->name);
}

static struct executed executed_of(const struct query_row *row)
{
	const char *colon = strrchr(row->where, ':');
	bool has_line = colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1);

	return (struct executed){ row, row->where,
				  has_line ? (size_t)(colon - row->where) : strlen(row->where),
				  has_line ? (u32)strtoul(colon + 1, NULL, 10) : 0 };
}

/* NULL: the file is unreadable. */
static char *read_source(const struct executed *e)
{
	_cleanup_free_ char *path = strndup(e->file, e->file_len), *text = NULL;
	const char *name = path && !strncmp(path, "file://", 7) ? path + 7 : path;
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (!name || name[0] != '/')
		return NULL;
	fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_SOURCE)
		return NULL;
	text = calloc(1, (size_t)st.st_size + 1);
	if (!text || file_read(fd, 0, text, (u64)st.st_size))
		return NULL;
	return TAKE_PTR(text);
}

static int put_text(FILE *out, const char *text, size_t len)
{
	_cleanup_free_ char *line = strndup(text, len), *safe = NULL;

	for (char *tab; line && (tab = strchr(line, '\t'));) {
		char *wider = NULL;

		*tab = 0;
		if (asprintf(&wider, "%s" TAB "%s", line, tab + 1) < 0)
			return -ENOMEM;
		free(line);
		line = wider;
	}
	if (line && len && line[strlen(line) - 1] == '\r')
		line[strlen(line) - 1] = 0;
	safe = line ? cell_escape(line) : NULL;
	if (!safe)
		return -ENOMEM;
	fprintf(out, "  %s", safe);
	return 0;
}

/* Prints a line's number and text. Lines must be printed in ascending order. */
static int put_line(FILE *out, struct source *s, u32 line)
{
	int err = 0;

	while (s->at && s->line < line) {
		s->at = strchr(s->at, '\n');
		s->at += s->at != NULL;
		s->line++;
	}
	fprintf(out, "%6u", line);
	if (s->at && *s->at)
		err = put_text(out, s->at, strcspn(s->at, "\n"));
	putc('\n', out);
	return err;
}

static int put_executed(FILE *out, const struct section *s, struct source *source,
			const struct executed *e)
{
	fprintf(out, "%6.1f %%%6.1f %% ", section_percent(e->row->self, s->samples),
		section_percent(e->row->total, s->samples));
	if (e->line)
		return put_line(out, source, e->line);
	fputs("     ?\n", out);
	return 0;
}

/* Prints the lines between two executed lines, or an ellipsis. */
static int put_between(FILE *out, struct source *source, u32 from, u32 to)
{
	int err = 0;

	if (!source->text)
		return 0;
	if (to > from && to - from > MAX_GAP) {
		fputs("                     ...\n", out);
		return 0;
	}
	for (; err == 0 && from < to; from++) {
		fprintf(out, "%17s", "");
		err = put_line(out, source, from);
	}
	return err;
}

static int put_function(FILE *out, const struct section *s, const struct executed *v, u32 n)
{
	_cleanup_free_ char *text = read_source(v), *name = cell_escape(v->row->name);
	_cleanup_free_ char *path = strndup(v->file, v->file_len), *safe = NULL;
	struct source source = { text, text, 1 };
	int err = 0;

	safe = path ? cell_escape(path) : NULL;
	if (!name || !safe)
		return -ENOMEM;
	fprintf(out, "%s  %s\n%7s   total    line\n", name, safe, section_self(s));
	for (u32 i = 0; err == 0 && i < n; i++) {
		u32 before = i ? v[i - 1].line + 1 : v->line > AROUND ? v->line - AROUND : 1;

		if (v[i].line && (!i || v[i - 1].line))
			err = put_between(out, &source, before, v[i].line);
		if (err == 0)
			err = put_executed(out, s, &source, &v[i]);
	}
	return err;
}

int section_lines(FILE *out, const struct section *s)
{
	_cleanup_free_ struct executed *v = calloc(s->result.n + 1ul, sizeof(*v));
	u32 from = 0;
	int err = 0;

	if (!v)
		return -ENOMEM;
	for (u32 i = 0; i < s->result.n; i++)
		v[i] = executed_of(&s->result.rows[i]);
	qsort(v, s->result.n, sizeof(*v), compare);
	for (u32 i = 1; err == 0 && i <= s->result.n; i++) {
		if (i < s->result.n && is_same_function(&v[from], &v[i]))
			continue;
		if (from)
			putc('\n', out);
		err = put_function(out, s, &v[from], i - from);
		from = i;
	}
	return err;
}
