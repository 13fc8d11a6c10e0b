/* SPDX-License-Identifier: BSD-2-Clause */
#include "step_program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"

#define MAX_MAPPING_LEN (256ull << 20)
#define N_MARKS 4

/* Splits a line at tabs. */
static int read_names(FILE *f, char **line, const char **names, u32 *n)
{
	size_t len = 0;
	char *save;

	if (getline(line, &len, f) <= 0)
		return -ENOENT;
	(*line)[strcspn(*line, "\n")] = 0;
	for (char *s = strtok_r(*line, "\t", &save); s; s = strtok_r(NULL, "\t", &save)) {
		if (*n == PROGRAM_MAX_NAMES)
			return -E2BIG;
		names[(*n)++] = s;
	}
	return 0;
}

/* The marker words in the program's memory, computed as in steps.js. */
static void make_marks(u32 marks[N_MARKS])
{
	u32 word = 0x53746570;

	for (int i = 0; i < N_MARKS; i++, word = word * 0x9e3779b1 + 1)
		marks[i] = word;
}

static u64 find_marks(struct target *t, u64 start, u64 len)
{
	_cleanup_free_ char *bytes = malloc(len);
	u32 marks[N_MARKS];
	const char *at;

	make_marks(marks);
	if (!bytes || target_read(t, start, bytes, len))
		return 0;
	at = memmem(bytes, len, marks, sizeof(marks));
	return at ? start + (u64)(at - bytes) + sizeof(marks) : 0;
}

static u64 find_stack(struct target *t, const char *maps)
{
	u64 start, end, inode, addr = 0;
	char perms[5];

	for (const char *line = maps; line && !addr; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%llx-%llx %4s %*x %*s %llu", &start, &end, perms, &inode) == 4 &&
		    !strncmp(perms, "rw", 2) && !inode && end - start <= MAX_MAPPING_LEN)
			addr = find_marks(t, start, end - start);
	}
	return addr;
}

int step_program_init(struct step_program *p, FILE *out, struct target *t, const char *maps)
{
	int r;

	*p = (struct step_program){};
	r = read_names(out, &p->functions_line, p->functions, &p->n_functions);
	if (!r)
		r = read_names(out, &p->callers_line, p->callers, &p->n_callers);
	if (r)
		return r;
	if (!p->n_callers)
		return -EBADMSG;
	p->addr = find_stack(t, maps);
	return p->addr ? 0 : -ENOENT;
}

void step_program_deinit(struct step_program *p)
{
	free(p->functions_line);
	free(p->callers_line);
}

static const char *name_at(const struct step_program *p, u32 depth)
{
	u32 number = p->words[1 + depth];

	return number && number <= p->n_functions ? p->functions[number - 1] : "?";
}

int step_program_read(struct step_program *p, struct target *t, u32 n_callers,
		      enum program_event *event)
{
	u32 before = p->words[0], *least;
	int r = target_read(t, p->addr, p->words, sizeof(p->words));

	*event = PROGRAM_NOTHING;
	if (r < 0)
		return r;
	if (p->words[0] > PROGRAM_MAX_DEPTH - 1)
		return -ERANGE;
	if (p->end_depth && (p->words[0] != before || n_callers < p->end_n))
		p->end_depth = 0;
	least = &p->least_n[p->words[0]];
	if (p->words[0] > before || n_callers < *least)
		*least = n_callers;
	if (p->words[0] == before)
		return 0;
	if (p->words[0] < before) {
		p->end_depth = before;
		p->end_n = p->least_n[before];
	}
	if (p->pending[0])
		*event = p->words[0] == p->pending_depth + 1 &&
					 !strcmp(name_at(p, p->pending_depth), p->pending)
				 ? PROGRAM_WAS_RIGHT
				 : PROGRAM_WAS_WRONG;
	p->pending[0] = 0;
	return 0;
}

/*
 * Lists the reported functions, innermost first, and then the callers of the
 * outermost one.
 */
static u32 list_reported(const struct step_program *p, u32 from_depth, const char **list)
{
	bool has_callers = !from_depth && p->words[0] && !strcmp(name_at(p, 0), p->callers[0]);
	u32 n = 0;

	for (u32 depth = p->words[0]; depth > from_depth; depth--)
		list[n++] = name_at(p, depth - 1);
	for (u32 i = 1; has_callers && i < p->n_callers; i++)
		list[n++] = p->callers[i];
	return n;
}

static bool are_equal(const char *const *a, const char *const *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (strcmp(a[i], b[i]))
			return false;
	return true;
}

bool step_program_agrees(const struct step_program *p, const char *const *names, u32 n,
			 u32 from_depth, bool *is_pending)
{
	const char *reported[PROGRAM_MAX_DEPTH + PROGRAM_MAX_NAMES];
	u32 depth = p->words[0], n_reported = list_reported(p, from_depth, reported);

	*is_pending = false;
	if (depth < from_depth || n < n_reported || n > n_reported + 1 ||
	    !are_equal(names + n - n_reported, reported, n_reported))
		return false;
	if (n > n_reported)
		*is_pending = p->end_depth != depth + 1 || strcmp(names[0], name_at(p, depth));
	return true;
}

bool step_program_has_outermost(const struct step_program *p, const char *const *names, u32 n,
				u32 from_depth)
{
	const char *reported[PROGRAM_MAX_DEPTH + PROGRAM_MAX_NAMES];
	u32 n_reported = list_reported(p, from_depth, reported);

	return n <= n_reported && are_equal(names, reported + n_reported - n, n);
}
