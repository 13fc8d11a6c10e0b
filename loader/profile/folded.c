/* SPDX-License-Identifier: BSD-2-Clause */
#include "folded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/text_stream.h"
#include "intern.h"
#include "json_line.h"
#include "kinds.h"

#define TABLE_LIMIT (64u << 20)

struct folded_lines {
	struct intern labels;
	struct json_line line;
	u32 n_stacks;
	char *text; /* the profile lines of the stack that was converted last */
	size_t len, at;
	u32 ids[PROF_MAX_FRAMES]; /* root first */
};

/* The parts of a label. */
struct label {
	struct prof_frame frame;
	char *name, *file;
};

static void label_deinit(struct label *l)
{
	free(l->name);
	free(l->file);
}

int folded_lines_new(struct folded_lines **f)
{
	*f = calloc(1, sizeof(**f));
	if (!*f)
		return -ENOMEM;
	intern_init(&(*f)->labels, TABLE_LIMIT);
	return 0;
}

void folded_lines_free(struct folded_lines **f)
{
	if (!*f)
		return;
	intern_deinit(&(*f)->labels);
	json_line_deinit(&(*f)->line);
	free((*f)->text);
	free(*f);
	*f = NULL;
}

/* Returns the offset of the number at the end of a line; 0: none. */
static size_t number_at(const char *line, size_t len)
{
	size_t at = len;

	while (at && line[at - 1] >= '0' && line[at - 1] <= '9')
		at--;
	return at > 1 && at < len && len - at < 10 && line[at - 1] == ' ' ? at : 0;
}

bool folded_is_line(const char *line, size_t len)
{
	return number_at(line, len);
}

/* ---- labels ---- */

/*
 * If the text ends with a number like ":12", removes this end and returns the number; otherwise
 * returns 0.
 */
static u32 cut_number(char *text)
{
	char *colon = strrchr(text, ':'), *end;
	unsigned long n;

	if (!colon || colon == text || colon[1] < '0' || colon[1] > '9')
		return 0;
	n = strtoul(colon + 1, &end, 10);
	if (*end || !n || n > ~0u)
		return 0;
	*colon = 0;
	return (u32)n;
}

/* Finds the '(' that matches the final ')', if a space precedes it as in "name (file)". */
static const char *opening(const char *text, size_t len)
{
	int depth = 0;

	for (size_t at = len; at-- > 0;) {
		depth += (text[at] == ')') - (text[at] == '(');
		if (!depth)
			return at > 1 && text[at - 1] == ' ' ? text + at : NULL;
	}
	return NULL;
}

/*
 * The name of a C++ function also ends with parentheses, so the text in the parentheses may not be
 * a file.
 */
static bool is_file(const char *text)
{
	return text[0] == '/' || !strncmp(text, "node:", 5) || !strncmp(text, "eval at ", 8) ||
	       (strchr(text, '.') && !strpbrk(text, ", &*") && !strstr(text, "::"));
}

static bool ends(const char *text, const char *with)
{
	size_t len = strlen(text), n = strlen(with);

	return len > n && !strcmp(text + len - n, with);
}

static enum prof_kind kind_of(const struct label *l)
{
	static const char *const js[] = { ".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx" };
	static const char *const dotnet[] = { ".cs", ".fs", ".vb" };

	if (!l->file)
		return ends(l->name, "_[k]") ? PROF_KERNEL : PROF_N_KINDS;
	if (!strncmp(l->file, "node:", 5) || !strncmp(l->file, "eval at ", 8))
		return PROF_JS;
	for (size_t i = 0; i < ARRAY_SIZE(js); i++)
		if (ends(l->file, js[i]))
			return PROF_JS;
	for (size_t i = 0; i < ARRAY_SIZE(dotnet); i++)
		if (ends(l->file, dotnet[i]))
			return PROF_DOTNET;
	return PROF_NATIVE;
}

static int split_file(struct label *l)
{
	size_t len = strlen(l->name);
	const char *open = len && l->name[len - 1] == ')' ? opening(l->name, len) : NULL;
	u32 first, second;

	if (!open)
		return 0;
	l->file = strndup(open + 1, len - (size_t)(open - l->name) - 2);
	if (!l->file)
		return -ENOMEM;
	if (!is_file(l->file)) {
		free(l->file);
		l->file = NULL;
		return 0;
	}
	l->name[open - l->name - 1] = 0;
	first = cut_number(l->file);
	second = first ? cut_number(l->file) : 0;
	l->frame.start_line = second ? second : first;
	l->frame.start_column = second ? first : 0;
	return 0;
}

static int label_parse(const char *text, size_t len, struct label *l)
{
	static const char async[] = "async ";
	const size_t n = sizeof(async) - 1;

	l->frame.async = len > n && !strncmp(text, async, n);
	l->name = l->frame.async ? strndup(text + n, len - n) : strndup(text, len);
	if (!l->name || split_file(l) < 0)
		return -ENOMEM;
	l->frame.name = l->name;
	l->frame.file = l->file;
	l->frame.kind = kind_of(l);
	return 0;
}

static int add_frame(struct folded_lines *f, const char *text, size_t len, FILE *out, u32 *id)
{
	_cleanup_(label_deinit) struct label l = { 0 };
	u32 idx;
	int r = intern_add(&f->labels, text, len, &idx);

	if (r < 0)
		return r;
	*id = idx + 1;
	if (r == 0)
		return 0;
	r = label_parse(text, len, &l);
	if (r < 0)
		return r;
	json_line_start(&f->line, "frame");
	json_line_u64(&f->line, "id", *id);
	json_line_frame(&f->line, &l.frame);
	return json_line_write(&f->line, out);
}

/* ---- stacks ---- */

/* Returns the status of a label "[truncated: reason]"; PROF_COMPLETE for a frame's label. */
static enum prof_status status_of(const char *text, size_t len, char *reason, size_t size)
{
	for (enum prof_status s = PROF_TRUNCATED; s < PROF_N_STATUSES; s++) {
		const char *name = prof_status_name(s);
		size_t n = strlen(name);

		if (len > n + 4 && text[0] == '[' && text[len - 1] == ']' &&
		    !strncmp(text + 1, name, n) && !strncmp(text + 1 + n, ": ", 2)) {
			snprintf(reason, size, "%.*s", (int)(len - n - 4), text + n + 3);
			return s;
		}
	}
	return PROF_COMPLETE;
}

static int put_stack(struct folded_lines *f, u32 n, enum prof_status status, const char *reason,
		     FILE *out)
{
	json_line_start(&f->line, "stack");
	json_line_u64(&f->line, "id", ++f->n_stacks);
	json_line_open(&f->line, "frames", '[');
	while (n)
		json_line_u64(&f->line, NULL, f->ids[--n]);
	json_line_close(&f->line, ']');
	json_line_string(&f->line, "status", prof_status_name(status));
	if (status != PROF_COMPLETE)
		json_line_string(&f->line, "reason", reason);
	return json_line_write(&f->line, out);
}

static int put_samples(struct folded_lines *f, u64 count, FILE *out)
{
	json_line_start(&f->line, "samples");
	json_line_u64(&f->line, "pid", 0);
	json_line_u64(&f->line, "tid", 0);
	json_line_u64(&f->line, "stack", f->n_stacks);
	json_line_u64(&f->line, "count", count);
	return json_line_write(&f->line, out);
}

static int put_header(struct folded_lines *f, FILE *out)
{
	json_line_start(&f->line, "header");
	json_line_u64(&f->line, "schema", 1);
	return json_line_write(&f->line, out);
}

static int put_all(struct folded_lines *f, const char *line, size_t len, u64 count, FILE *out)
{
	enum prof_status status = PROF_COMPLETE;
	char reason[256] = "";
	u32 n = 0;
	int err = f->n_stacks ? 0 : put_header(f, out);

	for (size_t at = 0, end; err == 0 && at < len; at = end + 1) {
		const char *semicolon = memchr(line + at, ';', len - at);

		end = semicolon ? (size_t)(semicolon - line) : len;
		/*
		 * The status is in the first label, or, if the first label is a process, in the
		 * second.
		 */
		if (n < 2 && status == PROF_COMPLETE) {
			status = status_of(line + at, end - at, reason, sizeof(reason));
			if (status != PROF_COMPLETE)
				continue;
		}
		if (n == PROF_MAX_FRAMES)
			return -EBADMSG;
		err = add_frame(f, line + at, end - at, out, &f->ids[n++]);
	}
	if (err == 0)
		err = put_stack(f, n, status, reason, out);
	return err < 0 ? err : put_samples(f, count, out);
}

int folded_lines_take(struct folded_lines *f, const char *line, size_t len)
{
	size_t number = number_at(line, len);
	struct text_stream s;
	FILE *out;
	int err, end;

	if (!number)
		return -EBADMSG;
	free(f->text);
	f->text = NULL;
	f->len = f->at = 0;
	out = text_stream_open(&s);
	if (!out)
		return -ENOMEM;
	err = put_all(f, line, number - 1, strtoull(line + number, NULL, 10), out);
	end = text_stream_close(&s, out, &f->text, &f->len);
	return err < 0 ? err : end;
}

int folded_lines_next(struct folded_lines *f, const char **line, size_t *len)
{
	const char *end = f->at < f->len ? memchr(f->text + f->at, '\n', f->len - f->at) : NULL;

	if (!end)
		return 0;
	*line = f->text + f->at;
	*len = (size_t)(end - *line);
	f->at += *len + 1;
	return 1;
}
