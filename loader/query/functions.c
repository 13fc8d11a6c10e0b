/* SPDX-License-Identifier: BSD-2-Clause */
#include "functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/util/cleanup.h"
#include "../profile/frame_name.h"

#define TABLE_LIMIT (256u << 20)

struct start {
	u32 line, column;
};

/* Frames with the same name and file, before they are divided by the start of the function. */
struct base {
	struct start first; /* line 0: the start of the function is unknown */
	bool has_several, has_file;
	u32 place; /* number of the text of the file, or of the module or kind */
};

struct key {
	u32 base;
	struct start start;
};

/* A line of a file on which functions start. */
struct line_key {
	u32 place, line;
};

struct numbering {
	const struct prof_data *data;
	bool with_off;
	struct functions *out;
	struct intern places, functions; /* struct key */
	struct intern modules; /* name and module of frames that have a file */
	u32 *base_of_module; /* index: number of the key in @modules; DATA_NONE: several bases */
	u32 *base_of_frame;
	struct base *bases; /* index: number of the key in out->texts */
};

static void numbering_deinit(struct numbering *n)
{
	intern_deinit(&n->places);
	intern_deinit(&n->functions);
	intern_deinit(&n->modules);
	free(n->base_of_module);
	free(n->base_of_frame);
	free(n->bases);
}

static const char *where_of(const struct prof_frame *f, char *kind_words, size_t size)
{
	const char *kind = prof_kind_name(f->kind);

	if (f->file)
		return f->file;
	if (f->module)
		return f->module;
	snprintf(kind_words, size, "[%s]", kind ? kind : "unknown");
	return kind_words;
}

/* The build of a module in which the offset of a function without a name is valid. */
static const char *build_of(const struct prof_frame *f)
{
	bool is_offset = (!f->name || !f->name[0]) && f->module && f->start_off;

	return is_offset && f->build_id ? f->build_id : "";
}

static int add_base(struct numbering *n, u32 i, u32 *place)
{
	const struct prof_frame *f = &n->data->frames[i];
	_cleanup_free_ char *name = frame_name(f, n->with_off), *key = NULL;
	char kind_words[32];
	const char *where = where_of(f, kind_words, sizeof(kind_words));
	int len, r;

	if (!name)
		return -ENOMEM;
	len = asprintf(&key, "%s%c%s%c%s%c%c", name, 0, where, 0, build_of(f), 0,
		       f->file ? 'f' : 'm');
	if (len < 0) {
		key = NULL;
		return -ENOMEM;
	}
	r = intern_add(&n->places, where, strlen(where), place);
	if (r >= 0)
		r = intern_add(&n->out->texts, key, (size_t)len, &n->base_of_frame[i]);
	return r < 0 ? r : 0;
}

static void meet_start(struct base *b, const struct prof_frame *f, u32 place)
{
	struct start s = { f->start_line, f->start_column };

	b->place = place;
	b->has_file = f->file;
	if (!s.line || !f->file)
		return;
	if (!b->first.line)
		b->first = s;
	b->has_several |= memcmp(&b->first, &s, sizeof(s)) != 0;
}

static int find_base(struct numbering *n, u32 i)
{
	u32 place;
	int err = add_base(n, i, &place);

	if (err == 0)
		meet_start(&n->bases[n->base_of_frame[i]], &n->data->frames[i], place);
	return err;
}

/* Makes the key "name \0 module". NULL in @key: the frame lacks one of them. */
static int module_key(const struct prof_frame *f, char **key, size_t *len)
{
	int n = 0;

	*key = NULL;
	if (f->name && f->name[0] && f->module) {
		n = asprintf(key, "%s%c%s", f->name, 0, f->module);
		if (n < 0)
			*key = NULL;
	}
	*len = (size_t)n;
	return n < 0 ? -ENOMEM : 0;
}

/* Notes the base of a frame that has a file, for frames of the same function without a file. */
static int note_module(struct numbering *n, u32 i)
{
	_cleanup_free_ char *key = NULL;
	u32 at, base = n->base_of_frame[i];
	size_t len;
	int r = module_key(&n->data->frames[i], &key, &len);

	if (r < 0 || !key)
		return r;
	r = intern_add(&n->modules, key, len, &at);
	if (r < 0)
		return r;
	if (r == 1)
		n->base_of_module[at] = base;
	else if (n->base_of_module[at] != base)
		n->base_of_module[at] = DATA_NONE;
	return 0;
}

/* Finds the base of a frame without a file. */
static int find_fileless(struct numbering *n, u32 i)
{
	_cleanup_free_ char *key = NULL;
	size_t len;
	u32 at;
	int err = module_key(&n->data->frames[i], &key, &len);

	if (err < 0)
		return err;
	if (!key || intern_find(&n->modules, key, len, &at) < 0 ||
	    n->base_of_module[at] == DATA_NONE)
		return find_base(n, i);
	n->base_of_frame[i] = n->base_of_module[at];
	return 0;
}

static int find_bases(struct numbering *n)
{
	u32 n_frames = n->data->n_frames;
	int err = 0;

	n->base_of_frame = calloc(n_frames + 1ul, sizeof(u32));
	n->base_of_module = calloc(n_frames + 1ul, sizeof(u32));
	n->bases = calloc(n_frames + 1ul, sizeof(*n->bases));
	if (!n->base_of_frame || !n->base_of_module || !n->bases)
		return -ENOMEM;
	for (u32 i = 0; err == 0 && i < n_frames; i++) {
		if (!n->data->frames[i].file)
			continue;
		err = find_base(n, i);
		if (err == 0)
			err = note_module(n, i);
	}
	for (u32 i = 0; err == 0 && i < n_frames; i++)
		if (!n->data->frames[i].file)
			err = find_fileless(n, i);
	return err;
}

/* Several functions of one file can have this name. */
static bool is_nameless(const char *name)
{
	return !name || !name[0] || !strcmp(name, "(anonymous)");
}

static struct start start_of(const struct base *b, const struct prof_frame *f)
{
	if (!b->has_file)
		return (struct start){ 0 };
	if (f->file && f->start_line)
		return (struct start){ f->start_line, f->start_column };
	if (b->first.line && !b->has_several)
		return b->first;
	return (struct start){ is_nameless(f->name) ? f->line : 0, 0 };
}

static int find_functions(struct numbering *n)
{
	u32 n_frames = n->data->n_frames;

	n->out->of_frame = calloc(n_frames + 1ul, sizeof(u32));
	n->out->v = calloc(n_frames + 1ul, sizeof(*n->out->v));
	if (!n->out->of_frame || !n->out->v)
		return -ENOMEM;
	for (u32 i = 0; i < n_frames; i++) {
		const struct prof_frame *f = &n->data->frames[i];
		u32 base = n->base_of_frame[i];
		struct key key = { base, start_of(&n->bases[base], f) };
		int r = intern_add(&n->functions, &key, sizeof(key), &n->out->of_frame[i]);

		if (r < 0)
			return r;
		if (r == 1)
			n->out->v[n->out->n++] =
				(struct function){ .line = key.start.line,
						   .column = key.start.column,
						   .has_file = n->bases[base].has_file,
						   .module = f->module,
						   .frame = i };
	}
	return 0;
}

/* Runs after all texts are added, because adding a text may move the others in memory. */
static void take_texts(struct numbering *n)
{
	for (u32 i = 0; i < n->out->n; i++) {
		struct function *f = &n->out->v[i];
		const char *build_id;
		size_t len;

		f->name = intern_key(&n->out->texts, n->base_of_frame[f->frame], &len);
		f->where = f->name + strlen(f->name) + 1;
		build_id = f->where + strlen(f->where) + 1;
		f->build_id = *build_id ? build_id : NULL;
	}
}

/* Sets shows_column for functions that start on the same line of a file. */
static int find_columns(struct numbering *n)
{
	_cleanup_(intern_deinit) struct intern lines = { 0 };
	_cleanup_free_ u32 *line_of = calloc(n->out->n + 1ul, sizeof(u32));
	_cleanup_free_ u32 *columns = calloc(n->out->n + 1ul, sizeof(u32));
	_cleanup_free_ bool *is_shared = calloc(n->out->n + 1ul, sizeof(bool));

	if (!line_of || !columns || !is_shared)
		return -ENOMEM;
	intern_init(&lines, TABLE_LIMIT);
	for (u32 i = 0; i < n->out->n; i++) {
		const struct function *f = &n->out->v[i];
		struct line_key key = { n->bases[n->base_of_frame[f->frame]].place, f->line };
		int r = intern_add(&lines, &key, sizeof(key), &line_of[i]);

		if (r < 0)
			return r;
		if (r == 1)
			columns[line_of[i]] = f->column;
		is_shared[line_of[i]] |= columns[line_of[i]] != f->column;
	}
	for (u32 i = 0; i < n->out->n; i++)
		n->out->v[i].shows_column = n->out->v[i].column && is_shared[line_of[i]];
	return 0;
}

int functions_init(const struct prof_data *d, bool with_off, struct functions *f)
{
	_cleanup_(numbering_deinit) struct numbering n = { .data = d,
							   .with_off = with_off,
							   .out = f };
	int err;

	*f = (struct functions){ 0 };
	intern_init(&f->texts, TABLE_LIMIT);
	intern_init(&n.places, TABLE_LIMIT);
	intern_init(&n.functions, TABLE_LIMIT);
	intern_init(&n.modules, TABLE_LIMIT);
	err = find_bases(&n);
	if (err == 0)
		err = find_functions(&n);
	if (err < 0)
		return err;
	take_texts(&n);
	return find_columns(&n);
}

void functions_deinit(struct functions *f)
{
	free(f->v);
	free(f->of_frame);
	intern_deinit(&f->texts);
	*f = (struct functions){ 0 };
}

bool function_is_nameless(const struct function *f)
{
	return is_nameless(f->name);
}

char *function_place(const struct function *f)
{
	char line[32] = "", *place;

	if (f->line && f->shows_column)
		snprintf(line, sizeof(line), ":%u:%u", f->line, f->column);
	else if (f->line)
		snprintf(line, sizeof(line), ":%u", f->line);
	return asprintf(&place, "%s%s", f->where, line) < 0 ? NULL : place;
}
