/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	scripts     (owner, file, hash of the URL)       -> URL, number of the held map
 *	functions   (script, start)                      -> text before the start
 *	frames      (script, name, position, start)      -> frame; its number is the index + 1
 *
 * Text is read while the process runs, since it may be gone later. If text is unreadable, it is
 * read again when the same script or function is added again.
 */

#include "deferred_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../inspect/sourcemap/map_url.h"
#include "../../inspect/util/arena.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../profile/intern.h"
#include "generated_text.h"
#include "held_maps.h"

#define MAX_SCRIPTS 4096
#define MAX_FRAMES (1u << 16)
#define KEYS_LEN (8ul << 20) /* limit of each table of keys */
#define MAX_URLS_LEN                                                                               \
	(64ul << 20) /* beyond this length of all URLs, no more are read; a data: URL              \
		      * contains a map */
#define UNREAD (-1)

struct script {
	struct source_maps_script id; /* without callbacks and hash */
	char *url; /* NULL: none, or not read yet */
	int map; /* number of the held map, or a negative errno */
	bool is_refused; /* there is no memory left for the URL */
	bool is_own; /* the text of the script is the text of its file */
	u32 last; /* number of the newest frame of this script; 0: none */
};

struct function {
	int len; /* length of the text; UNREAD: not read yet */
	char text[MAP_FRAME_TEXT];
};

struct frame {
	struct prof_frame f; /* generated, then of the source; the strings belong to the arena */
	u32 function, previous; /* previous: number of the next older frame of the script */
	bool is_found; /* the source was looked for */
};

struct deferred_maps {
	struct arena arena;
	struct intern texts, script_keys, function_keys, frame_keys;
	const char **text; /* by number in texts */
	struct script *scripts;
	struct function *functions;
	struct frame *frames;
	u32 cap_texts, cap_scripts, cap_functions, cap_frames;
	u32 n_not_own; /* scripts in TypeScript without a map, whose text is not that of the file */
	const char *not_own; /* file of the first such script */
	u64 urls_len;
	struct held_maps held;
	struct source_maps *maps;
};

int deferred_maps_new(struct deferred_maps **deferred)
{
	_cleanup_(deferred_maps_free) struct deferred_maps *d = calloc(1, sizeof(*d));

	if (!d || source_maps_new(&d->maps))
		return -ENOMEM;
	intern_init(&d->texts, KEYS_LEN);
	intern_init(&d->script_keys, KEYS_LEN);
	intern_init(&d->function_keys, KEYS_LEN);
	intern_init(&d->frame_keys, KEYS_LEN);
	*deferred = TAKE_PTR(d);
	return 0;
}

void deferred_maps_free(struct deferred_maps **deferred)
{
	struct deferred_maps *d = *deferred;

	if (!d)
		return;
	for (u32 i = 0; i < d->script_keys.n; i++)
		free(d->scripts[i].url);
	intern_deinit(&d->texts);
	intern_deinit(&d->script_keys);
	intern_deinit(&d->function_keys);
	intern_deinit(&d->frame_keys);
	arena_clear(&d->arena);
	held_maps_deinit(&d->held);
	source_maps_free(&d->maps);
	free(d->text);
	free(d->scripts);
	free(d->functions);
	free(d->frames);
	free(d);
	*deferred = NULL;
}

/* Finds or adds a string. Returns 0 or -ENOMEM; the string is borrowed until @d is freed. */
static int keep_text(struct deferred_maps *d, const char *text, const char **kept, u32 *idx)
{
	int r;

	if (array_reserve(d->text, d->cap_texts, d->texts.n + 1ul))
		return -ENOMEM;
	r = intern_add(&d->texts, text, strlen(text), idx);
	if (r == 1)
		d->text[*idx] = arena_strdup(&d->arena, text);
	*kept = r < 0 ? NULL : d->text[*idx];
	return *kept ? 0 : -ENOMEM;
}

/* ---- while recording ---- */

static struct script *find_script(struct deferred_maps *d, const struct source_maps_script *of)
{
	struct {
		u64 owner, url_hash;
		u32 file;
		u32 zero;
	} key = { of->owner, of->url_hash, 0, 0 };
	struct script *s;
	const char *file;
	u32 i;

	if (keep_text(d, of->file, &file, &key.file) ||
	    array_reserve(d->scripts, d->cap_scripts, d->script_keys.n + 1ul))
		return NULL;
	if (!intern_find(&d->script_keys, &key, sizeof(key), &i))
		return &d->scripts[i];
	if (d->script_keys.n == MAX_SCRIPTS ||
	    intern_add(&d->script_keys, &key, sizeof(key), &i) != 1)
		return NULL;
	s = &d->scripts[i];
	*s = (struct script){ .id = { .owner = of->owner, .file = file, .url_hash = of->url_hash },
			      .map = -ENOENT,
			      .is_own = !generated_text_is_translated(file) ||
					of->is_own(of->data) };
	if (!s->is_own && !of->url_hash && !d->n_not_own++)
		d->not_own = file;
	return s;
}

/* Opens the file to which the URL refers. */
static int hold_file(struct deferred_maps *d, const struct source_maps_script *of, const char *url)
{
	_cleanup_free_ char *plain = strdup(url), *path = NULL;
	u32 idx;
	int fd, err;

	if (!plain)
		return -ENOMEM;
	map_url_unescape(plain, strlen(plain));
	path = map_url_resolve(of->file, plain);
	if (!path)
		return -ENOMEM;
	fd = path[0] == '/' ? of->open(of->data, path) : -ENOENT;
	err = fd < 0 ? fd : held_maps_add(&d->held, fd, &idx);
	return err ? err : (int)idx;
}

/* Reads the URL of the map, unless it was read already. */
static void read_url(struct deferred_maps *d, const struct source_maps_script *of, struct script *s)
{
	_cleanup_free_ char *url = NULL;

	s->is_refused |= d->urls_len > MAX_URLS_LEN;
	if (s->url || s->is_refused || of->url(of->data, &url))
		return;
	d->urls_len += strlen(url);
	if (map_url_is_data(url))
		s->is_own = false;
	else
		s->map = hold_file(d, of, url);
	s->url = TAKE_PTR(url);
}

/* Finds or adds the function of a frame, and reads the text before the function. */
static int find_function(struct deferred_maps *d, u32 script, const struct prof_frame *f,
			 map_frame_text_fn *text, void *data, u32 *idx)
{
	const u32 key[] = { script, f->start_line, f->start_column };
	struct function *fn;
	int r;

	if (array_reserve(d->functions, d->cap_functions, d->function_keys.n + 1ul))
		return -ENOMEM;
	r = intern_add(&d->function_keys, key, sizeof(key), idx);
	if (r < 0)
		return r;
	fn = &d->functions[*idx];
	if (r == 1)
		fn->len = UNREAD;
	if (fn->len < 0)
		fn->len = text(data, fn->text, sizeof(fn->text));
	return 0;
}

/* Finds or adds a frame, and sets the frame's member `deferred`. */
static int find_frame(struct deferred_maps *d, u32 script, u32 function, struct prof_frame *f)
{
	struct script *s = &d->scripts[script];
	u32 key[] = { script, 0, f->line, f->column, f->start_line, f->start_column }, idx;
	struct prof_frame copy = *f;
	int r;

	if (keep_text(d, f->name ? f->name : "", &copy.name, &key[1]) ||
	    array_reserve(d->frames, d->cap_frames, d->frame_keys.n + 1ul))
		return -ENOMEM;
	if (intern_find(&d->frame_keys, key, sizeof(key), &idx)) {
		r = d->frame_keys.n < MAX_FRAMES
			    ? intern_add(&d->frame_keys, key, sizeof(key), &idx)
			    : -ENOSPC;
		if (r < 0)
			return r;
		copy.name = f->name ? copy.name : NULL;
		copy.file = f->file ? s->id.file : NULL;
		copy.reason = NULL;
		d->frames[idx] =
			(struct frame){ .f = copy, .function = function, .previous = s->last };
		s->last = idx + 1;
	}
	f->deferred = idx + 1;
	return 0;
}

void deferred_maps_add(struct deferred_maps *d, const struct source_maps_script *script,
		       struct prof_frame *f, map_frame_text_fn *text, void *data)
{
	bool is_own = !script->url_hash && !generated_text_is_translated(script->file);
	struct script *s = f->line && !is_own ? find_script(d, script) : NULL;
	u32 idx = s ? (u32)(s - d->scripts) : 0, function;

	if (!f->line || is_own)
		return;
	if (s && script->url_hash) {
		read_url(d, script, s);
		if (!find_function(d, idx, f, text, data, &function))
			find_frame(d, idx, function, f);
	}
	/* Until the URL is read, the map may be in the URL. */
	if (!s || !s->is_own || (script->url_hash && !s->url))
		map_frame_drop_line(f);
	if (!script->url_hash && f->generated_file)
		f->reason = PROF_NO_SOURCE_MAP;
}

bool deferred_maps_any(const struct deferred_maps *d)
{
	return d && d->frame_keys.n;
}

/* ---- at the end ---- */

/* A script whose map is parsed. */
struct parsed {
	struct deferred_maps *d;
	const struct script *script;
	const struct function *function; /* of the frame whose source is looked for */
};

static int give_url(void *data, char **url)
{
	const struct parsed *p = data;

	if (!p->script->url)
		return p->script->is_refused ? -EFBIG : -EAGAIN;
	*url = strdup(p->script->url);
	return *url ? 0 : -ENOMEM;
}

static int open_held(void *data, const char *path)
{
	const struct parsed *p = data;

	(void)path;
	return p->script->map < 0 ? p->script->map
				  : held_maps_open(&p->d->held, (u32)p->script->map);
}

static int give_text(void *data, char *text, size_t len)
{
	const struct parsed *p = data;
	int n = p->function->len;

	if (n > 0)
		memcpy(text, p->function->text, (size_t)n < len ? (size_t)n : len);
	return n;
}

/* The strings of a mapped frame are borrowed from its map. */
static void keep_frame(struct deferred_maps *d, struct prof_frame *f)
{
	u32 idx;

	if ((f->name && keep_text(d, f->name, &f->name, &idx)) ||
	    (f->file && keep_text(d, f->file, &f->file, &idx)))
		f->name = f->file = NULL;
}

static void find_sources(struct deferred_maps *d, struct script *s)
{
	struct parsed parsed = { .d = d, .script = s };
	struct source_maps_script of = s->id;

	of.url = give_url;
	of.open = open_held;
	of.data = &parsed;
	for (u32 i = s->last; i && !d->frames[i - 1].is_found; i = d->frames[i - 1].previous) {
		struct frame *frame = &d->frames[i - 1];

		frame->is_found = true;
		parsed.function = &d->functions[frame->function];
		map_frame(d->maps, &of, &frame->f, give_text, &parsed);
		if (!frame->f.generated_file && (!s->is_own || !s->url)) {
			map_frame_drop_line(&frame->f);
			frame->f.reason = PROF_NO_SOURCE_MAP;
		}
		keep_frame(d, &frame->f);
	}
}

static int by_map(const void *a_, const void *b_)
{
	const struct script *a = *(struct script *const *)a_, *b = *(struct script *const *)b_;

	return a->map < b->map ? -1 : a->map > b->map;
}

/* Scripts with the same map are adjacent, so that each map is parsed once, even if it is large. */
static void find_all_sources(struct deferred_maps *d)
{
	u32 n = d->script_keys.n;
	_cleanup_free_ struct script **sorted = calloc(n + 1ul, sizeof(*sorted));

	if (!sorted)
		return;
	for (u32 i = 0; i < n; i++)
		sorted[i] = &d->scripts[i];
	qsort(sorted, n, sizeof(struct script *), by_map);
	for (u32 i = 0; i < n; i++)
		find_sources(d, sorted[i]);
}

static bool replace(void *data, struct prof_frame *f)
{
	const struct deferred_maps *d = data;
	const struct prof_frame *from;

	if (!f->deferred || f->deferred > d->frame_keys.n)
		return false;
	from = &d->frames[f->deferred - 1].f;
	f->name = from->name;
	f->file = from->file;
	f->line = from->line;
	f->column = from->column;
	f->start_line = from->start_line;
	f->start_column = from->start_column;
	f->generated_file = from->generated_file;
	f->generated_line = from->generated_line;
	f->generated_column = from->generated_column;
	f->ignored = from->ignored;
	f->reason = from->reason ?: f->reason;
	f->deferred = 0;
	return true;
}

void deferred_maps_attach(struct deferred_maps *d, struct prof_reader *r)
{
	if (!d)
		return;
	find_all_sources(d);
	prof_reader_change_frames(r, replace, d);
}

void deferred_maps_each_problem(const struct deferred_maps *d,
				void (*fn)(const char *text, void *data), void *data)
{
	char text[512], others[48] = "";

	if (source_maps_problem(d->maps, text, sizeof(text)))
		fn(text, data);
	if (!d->n_not_own)
		return;
	if (d->n_not_own > 1)
		snprintf(others, sizeof(others), " (and %u more)", d->n_not_own - 1);
	snprintf(text, sizeof(text),
		 "%.200s: the process runs other text than this file, and that text has no source "
		 "map, so lines are unknown%s",
		 d->not_own, others);
	fn(text, data);
}
