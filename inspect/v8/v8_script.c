/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Finds lines in a script. V8 computes line ends only on demand, so Script.line_ends is usually
 * absent. So the source is read once, and the starts of its lines are cached. Line ends are LF, CR,
 * CR LF as one, U+2028 and U+2029. Positions and columns count UTF-16 units. The embedder that
 * compiles a script sets the line and column at which the script begins in its file. A wrapper
 * begins before the file, so V8 numbers the wrapper's lines and columns 0 and below, whereas here
 * they have no number.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../sourcemap/map_url.h"
#include "../util/cleanup.h"
#include "../util/clock.h"
#include "../util/search.h"
#include "v8_script.h"
#include "v8_string.h"

#define MAX_SCRIPT_LEN 128
#define MAX_SOURCE_LEN (64u << 20)
#define MAX_LINES (1u << 20)
#define MAX_FILE_NAME 4096
#define QUICK_ATTEMPTS 8 /* a read that has failed often succeeds soon after */
#define RETRY_NS 50000000ull
#define MAX_RETRY_SHIFT 6

static u64 word_at(const u8 *object, u32 off)
{
	u64 w;

	memcpy(&w, object + off, sizeof(w));
	return w;
}

/* Reads the key that identifies a script: name, source and id. */
static int read_key(struct v8_heap *h, u64 tagged, u64 key[3], s32 *line, s32 *column)
{
	const struct v8_layout *l = h->l;
	u8 object[MAX_SCRIPT_LEN];
	int err;

	if (!v8_is_tagged(tagged) || l->script_id > MAX_SCRIPT_LEN - 8 ||
	    l->script_source > l->script_id || l->script_name > l->script_id ||
	    l->script_line_offset > l->script_id || l->script_column_offset > l->script_id)
		return -EINVAL;
	err = v8_read(h, tagged - 1, object, l->script_id + 8u);
	if (err < 0)
		return err;
	if (v8_map_type(h, word_at(object, 0)) != l->type_script)
		return -EINVAL;
	key[0] = word_at(object, l->script_name);
	key[1] = word_at(object, l->script_source);
	key[2] = word_at(object, l->script_id);
	if (!v8_is_smi(word_at(object, l->script_line_offset)) ||
	    !v8_is_smi(word_at(object, l->script_column_offset)))
		return -EINVAL;
	*line = v8_smi(word_at(object, l->script_line_offset));
	*column = v8_smi(word_at(object, l->script_column_offset));
	return 0;
}

/* Reads the script's name; *file is NULL if there is none, as for code of eval(). */
static int read_file_name(struct v8_heap *h, u64 tagged, const char **file)
{
	char name[MAX_FILE_NAME] = "";
	u32 n_failed = h->n_failed;
	int type = v8_is_tagged(tagged) ? v8_type(h, tagged) : h->l->first_nonstring_type, err = 0;

	if (type < 0)
		return type;
	if (type < h->l->first_nonstring_type)
		err = v8_string_utf8(h, tagged, name, sizeof(name));
	if (err < 0 && h->n_failed != n_failed)
		return err;
	*file = !err && name[0] ? arena_strdup(&h->arena, name) : NULL;
	return 0;
}

struct v8_script *v8_script_get(struct v8_heap *h, u64 tagged)
{
	struct v8_script **bucket = &h->scripts[v8_hash(tagged, 0)], *s;
	const char *file;
	s32 line, column;
	u64 key[3];

	if (read_key(h, tagged, key, &line, &column) < 0)
		return NULL;
	for (s = *bucket; s; s = s->next)
		if (s->tagged == tagged && !memcmp(s->key, key, sizeof(key)))
			return s;
	if (read_file_name(h, key[0], &file) < 0)
		return NULL;
	s = arena_alloc(&h->arena, sizeof(*s));
	if (!s)
		return NULL;
	s->tagged = tagged;
	memcpy(s->key, key, sizeof(key));
	s->line_offset = line;
	s->column_offset = column;
	s->file = file;
	s->next = *bucket;
	*bucket = s;
	return s;
}

/* ---- lines ---- */

struct lines {
	u32 *starts;
	u32 n, room, pos;
	bool after_cr;
	struct map_url_scan map;
};

static int add_line(struct lines *l, u32 start)
{
	if (l->n == l->room) {
		u32 room = l->room ? 2 * l->room : 256;
		u32 *starts = l->n < MAX_LINES ? reallocarray(l->starts, room, sizeof(u32)) : NULL;

		if (!starts)
			return -E2BIG;
		l->starts = starts;
		l->room = room;
	}
	l->starts[l->n++] = start;
	return 0;
}

static int count_lines(const struct v8_chars *c, void *data)
{
	struct lines *l = data;

	for (size_t i = 0; i < c->n; i++, l->pos++) {
		u16 unit = c->two_byte ? ((const u16 *)c->chars)[i] : ((const u8 *)c->chars)[i];
		bool is_end = unit == '\n' || unit == 0x2028 || unit == 0x2029;

		if (l->after_cr && unit != '\n' && add_line(l, l->pos) < 0)
			return -E2BIG;
		if (is_end && add_line(l, l->pos + 1) < 0)
			return -E2BIG;
		l->after_cr = unit == '\r';
		map_url_scan(&l->map, unit);
	}
	return 0;
}

/*
 * Reads the script's key again. Garbage collection may move the script's name and source without
 * the script.
 */
static int identify(struct v8_heap *h, struct v8_script *s)
{
	const char *file;
	s32 line, column;
	u64 key[3];

	if (read_key(h, s->tagged, key, &line, &column) < 0 || key[2] != s->key[2])
		return -ESTALE;
	if (!memcmp(key, s->key, sizeof(key)))
		return 0;
	if (read_file_name(h, key[0], &file) < 0)
		return -ESTALE;
	memcpy(s->key, key, sizeof(key));
	s->line_offset = line;
	s->column_offset = column;
	s->file = file;
	return 0;
}

bool v8_script_is_same(struct v8_heap *h, const struct v8_script *s)
{
	s32 line, column;
	u64 key[3];

	return !read_key(h, s->tagged, key, &line, &column) && !memcmp(key, s->key, sizeof(key));
}

/* Has the script moved since identify()? */
static bool has_moved(struct v8_heap *h, const struct v8_script *s)
{
	target_renew(h->target);
	return !v8_script_is_same(h, s);
}

static const char *read_lines(struct v8_heap *h, struct v8_script *s)
{
	struct lines l = {};
	_cleanup_free_ u32 *starts = NULL;
	size_t pos, len;
	int err;

	if (identify(h, s) < 0)
		return "script moved";
	err = add_line(&l, 0);
	if (!err)
		err = v8_string_visit(h, s->key[1], MAX_SOURCE_LEN, TARGET_SOURCE, count_lines, &l);
	starts = l.starts;
	if (err == -E2BIG)
		s->retry_ns = NEVER_NS;
	if (err < 0)
		return err == -E2BIG ? "script too large" : "script source unreadable";
	if (has_moved(h, s))
		return "script moved"; /* the lines read may be those of another object */
	s->line_starts = arena_alloc(&h->arena, l.n * sizeof(u32));
	if (!s->line_starts)
		return "out of memory";
	memcpy(s->line_starts, l.starts, l.n * sizeof(u32));
	s->n_lines = l.n;
	s->source_len = l.pos;
	if (!map_url_end(&l.map, &pos, &len)) {
		s->map_hash = l.map.hash;
		s->map_pos = (u32)pos;
		s->map_len = (u32)len;
	}
	return NULL;
}

int v8_script_visit(struct v8_heap *h, struct v8_script *s, u32 from, u32 n,
		    int (*fn)(const struct v8_chars *c, void *data), void *data)
{
	int r = identify(h, s);

	if (!r)
		r = v8_string_visit_part(h, s->key[1], from, n, TARGET_SOURCE, fn, data);
	if (r)
		return r;
	return has_moved(h, s) ? -ESTALE : 0;
}

/*
 * Reads fail during garbage collection, so they are repeated later; the pauses are longer for a
 * large source.
 */
static void try_lines(struct v8_heap *h, struct v8_script *s)
{
	u64 now = monotonic_ns();

	if (now < s->retry_ns)
		return;
	if (s->n_attempts >= QUICK_ATTEMPTS)
		s->retry_ns = now + (RETRY_NS << (s->n_attempts - QUICK_ATTEMPTS));
	if (s->n_attempts < QUICK_ATTEMPTS + MAX_RETRY_SHIFT)
		s->n_attempts++;
	s->lines_missing = read_lines(h, s);
}

bool v8_script_position(struct v8_heap *h, struct v8_script *s, s32 pos, u32 *line, u32 *column,
			const char **reason)
{
	size_t next, at;
	s64 nth, unit;

	if (!s->line_starts)
		try_lines(h, s);
	*reason = s->lines_missing;
	if (s->lines_missing)
		return false;
	if (pos < 0 || (u32)pos > s->source_len) {
		*reason = "position outside script";
		return false;
	}
	next = search_first(s->n_lines, i, s->line_starts[i] <= (u32)pos);
	at = next ? next - 1 : 0;
	nth = (s64)at + 1 + s->line_offset;
	unit = (s64)pos - s->line_starts[at] + 1 + (at ? 0 : s->column_offset);
	if (nth < 1) {
		*reason = "line before file start";
		return false;
	}
	*line = (u32)nth;
	*column = unit < 1 ? 0 : (u32)unit;
	return true;
}
