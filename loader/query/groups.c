/* SPDX-License-Identifier: BSD-2-Clause */
#include "groups.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/json_small.h"

#define TABLE_LIMIT (256u << 20)

/*
 * Makes the text of group @i as groups.h describes it; the caller frees it. Returns its
 * length or -ENOMEM.
 */
typedef int text_fn(const struct groups *g, const struct prof_data *d, u32 i, char **text);

static int put(char **text, const char *name, const char *where)
{
	int n = where ? asprintf(text, "%s%c%s%c", name, 0, where, 0)
		      : asprintf(text, "%s%c", name, 0);

	if (n < 0)
		*text = NULL;
	return n < 0 ? -ENOMEM : n;
}

static int by_line(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	const struct function *f = &g->functions.v[g->functions.of_frame[i]];
	const struct prof_frame *frame = &d->frames[i];
	_cleanup_free_ char *where = NULL;
	int n;

	if (f->has_file && frame->line)
		n = asprintf(&where, "%s:%u", f->where, frame->line);
	else if (frame->start_off && frame->has_off)
		n = asprintf(&where, "%s+0x%llx", f->where, frame->off);
	else
		n = asprintf(&where, "%s", f->where);

	if (n < 0) {
		where = NULL;
		return -ENOMEM;
	}
	return put(text, f->name, where);
}

static int by_file(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	(void)d;
	return put(text, g->functions.v[g->functions.of_frame[i]].where, NULL);
}

static int by_module(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	const struct prof_frame *f = &d->frames[i];

	return f->module ? put(text, f->module, NULL) : by_file(g, d, i, text);
}

static int by_kind(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	const char *kind = prof_kind_name(d->frames[i].kind);

	(void)g;
	return put(text, kind ? kind : "unknown", NULL);
}

static int by_runtime(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	(void)g;
	return put(text, prof_runtime_name(prof_runtime_of_kind(d->frames[i].kind)), NULL);
}

/* ---- packages ---- */

/* Reads the version from the package.json in the package's folder, if it is readable. */
static void read_version(const char *file, const struct origin_package *p, char *version,
			 size_t len)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	json_t *json;
	const char *found;

	if (asprintf(&path, "%.*s/package.json", (int)p->folder_len, file) < 0) {
		path = NULL;
		return;
	}
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	json = fd < 0 ? NULL : json_small_read(fd);
	found = json_string_value(json_object_get(json, "version"));
	if (found)
		snprintf(version, len, "%s", found);
	json_decref(json);
}

static int put_package(char **text, const struct origin_package *p)
{
	char name[512], version[64] = "";

	if (p->version)
		snprintf(version, sizeof(version), "%.*s", (int)p->version_len, p->version);
	else if (p->file[0] == '/')
		read_version(p->file, p, version, sizeof(version));
	snprintf(name, sizeof(name), "%.*s%s%s", (int)p->name_len, p->name, version[0] ? "@" : "",
		 version);
	return put(text, name, NULL);
}

/* Groups by package, assembly or module; JavaScript outside of packages is in "app" or "node". */
static int by_package(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	const struct prof_frame *f = &d->frames[i];
	struct origin_package p = origin_frame_package(f);

	if (p.name)
		return put_package(text, &p);
	if (f->module)
		return put(text, f->module, NULL);
	if (f->kind != PROF_JS && f->kind != PROF_WASM)
		return by_kind(g, d, i, text);
	return put(text, origin_of(d, f) == ORIGIN_RUNTIME ? "node" : "app", NULL);
}

/* ---- cells ---- */

static int by_process(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	const struct prof_process *p = &d->processes[data_cell(d, i).process].process;
	char where[256];

	(void)g;
	snprintf(where, sizeof(where), "pid %u%s%.200s", p->pid, p->runtime ? ", " : "",
		 p->runtime ? p->runtime : "");
	return put(text, p->name && p->name[0] ? p->name : "unnamed", where);
}

static int by_thread(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	struct data_cell cell = data_cell(d, i);
	const struct prof_process *p = &d->processes[cell.process].process;
	_cleanup_free_ char *where = NULL;

	if (asprintf(&where, "%s, pid %u, tid %u", p->name && p->name[0] ? p->name : "unnamed",
		     p->pid, cell.tid) < 0) {
		where = NULL;
		return -ENOMEM;
	}
	return put(text, g->threads.labels[g->threads.of_cell[i]], where);
}

/* ---- all ---- */

static int by_function(const struct groups *g, const struct prof_data *d, u32 i, char **text)
{
	const struct function *f = &g->functions.v[i];
	_cleanup_free_ char *place = function_place(f), *plain = NULL;
	int len = place ? put(&plain, f->name, place) : -ENOMEM;

	(void)d;
	if (len < 0)
		return len;
	/* The number after the text distinguishes functions with the same text. */
	*text = realloc(plain, (size_t)len + sizeof(i));
	if (!*text)
		return -ENOMEM;
	plain = NULL;
	memcpy(*text + len, &i, sizeof(i));
	return len + (int)sizeof(i);
}

static text_fn *const fns[QUERY_N_BY] = {
	[QUERY_BY_FUNCTION] = by_function, [QUERY_BY_LINE] = by_line,
	[QUERY_BY_FILE] = by_file,	   [QUERY_BY_PACKAGE] = by_package,
	[QUERY_BY_MODULE] = by_module,	   [QUERY_BY_KIND] = by_kind,
	[QUERY_BY_RUNTIME] = by_runtime,   [QUERY_BY_THREAD] = by_thread,
	[QUERY_BY_PROCESS] = by_process,
};

static int number(struct groups *g, const struct prof_data *d, text_fn *fn, u32 n)
{
	g->of = calloc(n + 1ul, sizeof(*g->of));
	if (!g->of)
		return -ENOMEM;
	for (u32 i = 0; i < n; i++) {
		_cleanup_free_ char *text = NULL;
		int r = fn(g, d, i, &text);

		if (r >= 0)
			r = intern_add(&g->texts, text, (size_t)r, &g->of[i]);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Runs after all texts are added, because adding a text may move the others in memory. */
static int take_texts(struct groups *g)
{
	g->v = calloc(g->texts.n + 1ul, sizeof(*g->v));
	if (!g->v)
		return -ENOMEM;
	for (; g->n < g->texts.n; g->n++) {
		size_t len;
		const char *name = intern_key(&g->texts, g->n, &len);
		size_t name_len = strlen(name) + 1;

		g->v[g->n] = (struct group){ name, name_len < len ? name + name_len : NULL };
	}
	return 0;
}

int groups_new(const struct prof_data *d, enum query_by by, struct groups **groups)
{
	_cleanup_(groups_free) struct groups *g = calloc(1, sizeof(*g));
	int err;

	if (!g)
		return -ENOMEM;
	g->is_by_cell = by == QUERY_BY_THREAD || by == QUERY_BY_PROCESS;
	intern_init(&g->texts, TABLE_LIMIT);
	err = functions_init(d, false, &g->functions);
	if (err == 0 && by == QUERY_BY_THREAD)
		err = threads_init(d, &g->threads);
	if (err == 0)
		err = number(g, d, fns[by],
			     g->is_by_cell	       ? d->n_cells
			     : by == QUERY_BY_FUNCTION ? g->functions.n
						       : d->n_frames);
	if (err == 0)
		err = take_texts(g);
	if (err < 0)
		return err;
	if (by == QUERY_BY_FUNCTION) {
		free(g->of);
		g->of = TAKE_PTR(g->functions.of_frame);
	}
	*groups = TAKE_PTR(g);
	return 0;
}

void groups_free(struct groups **groups)
{
	struct groups *g = *groups;

	if (!g)
		return;
	free(g->v);
	free(g->of);
	functions_deinit(&g->functions);
	threads_deinit(&g->threads);
	intern_deinit(&g->texts);
	free(g);
	*groups = NULL;
}
