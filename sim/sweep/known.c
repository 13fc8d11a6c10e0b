// SPDX-License-Identifier: BSD-2-Clause

#include "known.h"

#include "../../inspect/util/cleanup.h"
#include "../case/where.h"
#include "../../inspect/util/whole_file.h"
#include "disasm.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define MAX_LIST_LEN (4u << 20)
#define SUFFIX ".misses"

struct known_line {
	const char *text; /* the whole line */
	const char *arch, *place;
	u64 n;
	bool is_caller; /* "caller"; false: "other" */
	bool is_met;
};

struct known {
	char *text, *words; /* the file's text, and a copy that is split into words */
	struct known_line *lines; /* sorted by arch, then place */
	u32 n;
};

static char *list_path(const char *path)
{
	char *list;

	return asprintf(&list, "%s" SUFFIX, path) < 0 ? NULL : list;
}

/*
 * Formats an address for the list. Escapes characters that would break the line format, because
 * names come from the case.
 */
static const char *place_of(const struct sim_case *c, u64 pc, char *out, size_t size)
{
	const struct sim_function *fn = sim_function_at(c, pc);
	size_t len = 0;

	for (u32 i = 0; fn && i < c->n_functions; i++)
		if (&c->functions[i] != fn && !strcmp(c->functions[i].name, fn->name))
			fn = NULL;
	snprintf(out, size, "%#llx", pc);
	if (!fn || strlen(fn->name) * 4 + 20 > size)
		return out;
	for (const char *p = fn->name; *p; p++)
		len += (size_t)snprintf(out + len, size - len,
					isgraph((u8)*p) && *p != '\\' ? "%c" : "\\x%02x", (u8)*p);
	snprintf(out + len, size - len, "+%#llx", pc - fn->start_addr);
	return out;
}

static int compare_lines(const void *a, const void *b)
{
	const struct known_line *x = a, *y = b;
	int order = strcmp(x->arch, y->arch);

	return order ? order : strcmp(x->place, y->place);
}

/* Parses a line; false: the line is invalid. */
static bool parse_line(char *words, struct known_line *out)
{
	char *arch = strsep(&words, " "), *place = strsep(&words, " ");
	char *count = strsep(&words, " "), *kind = strsep(&words, " "), *end;

	if (!kind || !*place || (strcmp(kind, "caller") != 0 && strcmp(kind, "other") != 0) ||
	    !isdigit((u8)*count))
		return false;
	out->arch = arch;
	out->place = place;
	errno = 0;
	out->n = strtoull(count, &end, 10);
	out->is_caller = !strcmp(kind, "caller");
	return !errno && !*end && out->n &&
	       (!strcmp(arch, sim_arch_x86_64.name) || !strcmp(arch, sim_arch_arm64.name));
}

static int parse(struct known *k, const char *path, struct sim_error *error)
{
	char *text = k->text, *words = k->words;
	u32 n_lines = 0, number = 0;

	for (const char *p = text; *p; p++)
		n_lines += *p == '\n';
	k->lines = calloc(n_lines + 1, sizeof(*k->lines));
	if (!k->lines)
		return -ENOMEM;
	while (words && *words) {
		char *line = strsep(&words, "\n");
		struct known_line *at = &k->lines[k->n];

		number++;
		at->text = strsep(&text, "\n");
		if (!*line || *line == '#')
			continue;
		if (!parse_line(line, at))
			return sim_fail(error, -EINVAL,
					"%s" SUFFIX ":%u: expected ARCH PLACE COUNT caller|other",
					path, number);
		k->n++;
	}
	if (k->n)
		qsort(k->lines, k->n, sizeof(*k->lines), compare_lines);
	return 0;
}

int known_load(const char *path, struct known **out, struct sim_error *error)
{
	_cleanup_free_ char *list = list_path(path);
	_cleanup_(known_free) struct known *k = calloc(1, sizeof(*k));
	int err;

	*out = NULL;
	if (!list || !k)
		return -ENOMEM;
	err = whole_file_read(list, MAX_LIST_LEN, &k->text);
	if (err == -ENOENT)
		return 0;
	if (err)
		return sim_fail(error, err, "%s: %s", list, strerror(-err));
	k->words = strdup(k->text);
	err = k->words ? parse(k, path, error) : -ENOMEM;
	if (!err)
		*out = TAKE_PTR(k);
	return err;
}

void known_free(struct known **k)
{
	if (!*k)
		return;
	free((*k)->text);
	free((*k)->words);
	free((*k)->lines);
	free(*k);
	*k = NULL;
}

u32 known_apply(struct known *k, const struct sim_case *c, struct sweep_result *r)
{
	char place[512];
	u32 n_new = 0;

	for (u32 i = 0; i < r->n_misses; i++) {
		struct sweep_miss *m = &r->misses[i];
		struct known_line key = { .arch = c->arch->name,
					  .place = place_of(c, m->pc, place, sizeof(place)) };
		struct known_line *line =
			k->n ? bsearch(&key, k->lines, k->n, sizeof(key), compare_lines) : NULL;

		if (line)
			line->is_met = true;
		m->is_known = line && m->n <= line->n &&
			      (!line->is_caller || m->n_lost_caller == m->n);
		n_new += !m->is_known;
	}
	return n_new;
}

const char *known_gone(const struct known *k, const struct sim_arch *arch, u32 *at)
{
	while (*at < k->n) {
		const struct known_line *line = &k->lines[(*at)++];

		if (!line->is_met && !strcmp(line->arch, arch->name))
			return line->place;
	}
	return NULL;
}

static char *new_line(const struct sim_case *c, const struct sweep_miss *m)
{
	char place[512], insn[128], *line;
	bool is_caller = m->n_lost_caller == m->n;

	if (asprintf(&line, "%s %s %llu %s %s", c->arch->name,
		     place_of(c, m->pc, place, sizeof(place)), m->n, is_caller ? "caller" : "other",
		     sim_disasm(c->arch, m->code, m->code_len, m->pc, insn, sizeof(insn))) < 0)
		return NULL;
	return line;
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Makes the lines of a new list; the caller owns the array and each line. */
static int collect(const struct known *k, const struct sim_case *c, const struct sweep_result *r,
		   char **lines, u32 *n)
{
	for (u32 i = 0; k && i < k->n; i++) {
		if (!strcmp(k->lines[i].arch, c->arch->name))
			continue;
		lines[*n] = strdup(k->lines[i].text);
		if (!lines[(*n)++])
			return -ENOMEM;
	}
	for (u32 i = 0; i < r->n_misses; i++) {
		lines[*n] = new_line(c, &r->misses[i]);
		if (!lines[(*n)++])
			return -ENOMEM;
	}
	return 0;
}

static int write_list(const char *list, char **lines, u32 n)
{
	struct whole_file file;
	int err;

	if (!n)
		return unlink(list) && errno != ENOENT ? -errno : 0;
	qsort(lines, n, sizeof(*lines), compare_text);
	err = whole_file_open(list, false, &file);
	if (err)
		return err;
	fputs("# Known misses, written by unspool-sim sweep --update:\n"
	      "# ARCH PLACE COUNT caller|other INSTRUCTION\n",
	      file.f);
	for (u32 i = 0; i < n; i++)
		fprintf(file.f, "%s\n", lines[i]);
	return whole_file_close(&file, true);
}

int known_update(const struct known *k, const char *path, const struct sim_case *c,
		 const struct sweep_result *r, struct sim_error *error)
{
	_cleanup_free_ char *list = list_path(path);
	_cleanup_free_ char **lines = calloc((k ? k->n : 0) + r->n_misses + 1, sizeof(*lines));
	u32 n = 0;
	int err = list && lines ? collect(k, c, r, lines, &n) : -ENOMEM;

	if (!err)
		err = write_list(list, lines, n);
	for (u32 i = 0; i < n; i++)
		free(lines[i]);
	return err ? sim_fail(error, err, "%s" SUFFIX ": %s", path, strerror(-err)) : 0;
}
