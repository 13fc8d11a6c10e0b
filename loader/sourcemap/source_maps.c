/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	scripts   (owner, file, hash of the URL)   -> map file, map
 *	maps      (device, inode, size, time)      -> map; inline maps are not shared
 */

#include "source_maps.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../inspect/sourcemap/map_url.h"
#include "../../inspect/util/arena.h"
#include "../../inspect/util/array.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/file_read.h"

#define MAX_SCRIPTS 4096
/* limit of all paths and names in bytes, including those that were not found */
#define MAX_NAMES (16ul << 20)
#define N_BUCKETS 1024 /* a power of two */
#define TEXT_LEN 200

/* A map and the identity of its file. */
struct kept_map {
	struct source_map *map;
	u64 dev, inode, size, changed_ns;
};

struct script {
	struct script *next;
	u64 owner, url_hash;
	const char *file;
	const char *base; /* path of the map, or, if the map is inline, the folder of the script;
			   * paths of sources are relative to this */
	const struct source_map *map; /* NULL: none */
	bool is_inline;
};

/* A source of a script's map, and its path. */
struct source {
	struct source *next;
	const struct script *script;
	const char *name; /* string of the map */
	const char *file;
};

/* A function of a script. */
struct function {
	struct function *next;
	const struct script *script;
	u32 line, column; /* start of the function in the script */
	struct source_maps_name name;
};

/* A cached name that is not a string of a map. */
struct kept_name {
	struct kept_name *next;
	size_t len;
	char text[];
};

struct source_maps {
	struct arena arena;
	struct script *scripts[N_BUCKETS];
	struct source *sources[N_BUCKETS];
	struct function *functions[N_BUCKETS];
	struct kept_name *names[N_BUCKETS];
	struct kept_map *maps;
	const struct script *last; /* result of the last look-up */
	u32 n_maps, cap_maps, n_scripts;
	size_t maps_size;
	u64 n_missing;
	char problem[2 * TEXT_LEN]; /* the first problem */
};

int source_maps_new(struct source_maps **maps)
{
	*maps = calloc(1, sizeof(**maps));
	return *maps ? 0 : -ENOMEM;
}

static void drop_all(struct source_maps *s)
{
	for (u32 i = 0; i < s->n_maps; i++)
		source_map_free(&s->maps[i].map);
	memset(s->scripts, 0, sizeof(s->scripts));
	memset(s->sources, 0, sizeof(s->sources));
	memset(s->functions, 0, sizeof(s->functions));
	memset(s->names, 0, sizeof(s->names));
	arena_clear(&s->arena);
	s->last = NULL;
	s->n_maps = s->n_scripts = 0;
	s->maps_size = 0;
}

void source_maps_free(struct source_maps **maps)
{
	if (!*maps)
		return;
	drop_all(*maps);
	free((*maps)->maps);
	free(*maps);
	*maps = NULL;
}

static u64 hash_text(u64 hash, const char *text)
{
	while (*text)
		hash = (hash ^ (u8)*text++) * 0x100000001b3ull;
	return hash ^ hash >> 32;
}

static u32 bucket_of(const struct source_maps_script *script)
{
	return (u32)hash_text(script->owner ^ script->url_hash, script->file) & (N_BUCKETS - 1);
}

/* ---- reading ---- */

/* Takes ownership of the map, even on failure. */
static int keep(struct source_maps *s, struct kept_map *kept)
{
	if (array_reserve(s->maps, s->cap_maps, s->n_maps + 1ul)) {
		source_map_free(&kept->map);
		return -ENOMEM;
	}
	s->maps[s->n_maps++] = *kept;
	s->maps_size += source_map_size(kept->map);
	return 0;
}

static int read_inline(struct source_maps *s, const char *url, const struct source_map **map)
{
	_cleanup_free_ char *text = NULL;
	struct kept_map kept = { 0 };
	size_t len;
	int err = map_url_decode(url, &text, &len);

	if (!err)
		err = source_map_new(&kept.map, text, len);
	if (!err)
		err = keep(s, &kept);
	if (!err)
		*map = kept.map;
	return err;
}

static const struct kept_map *find_file(const struct source_maps *s, const struct kept_map *want)
{
	for (u32 i = 0; i < s->n_maps; i++)
		if (s->maps[i].inode && s->maps[i].inode == want->inode &&
		    s->maps[i].dev == want->dev && s->maps[i].size == want->size &&
		    s->maps[i].changed_ns == want->changed_ns)
			return &s->maps[i];
	return NULL;
}

static int read_text(int fd, u64 size, struct source_map **map)
{
	_cleanup_free_ char *text = size <= SOURCE_MAP_MAX_LEN ? malloc(size + 1) : NULL;
	int err;

	if (!text)
		return size > SOURCE_MAP_MAX_LEN ? -EFBIG : -ENOMEM;
	err = file_read(fd, 0, text, size);
	return err ? err : source_map_new(map, text, size);
}

static int read_file(struct source_maps *s, const struct source_maps_script *script,
		     const char *path, const struct source_map **map)
{
	_cleanup_close_ int fd = script->open(script->data, path);
	struct kept_map kept = { 0 };
	const struct kept_map *same;
	struct stat st;
	int err;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st))
		return -errno;
	kept.dev = st.st_dev;
	kept.inode = st.st_ino;
	kept.size = (u64)st.st_size;
	kept.changed_ns = timespec_ns(st.st_ctim);
	same = find_file(s, &kept);
	if (same) {
		*map = same->map;
		return 0;
	}
	err = read_text(fd, kept.size, &kept.map);
	if (!err)
		err = keep(s, &kept);
	if (!err)
		*map = kept.map;
	return err;
}

/* ---- scripts ---- */

static void report_problem(struct source_maps *s, const char *file, const char *path, int err)
{
	if (!s->n_missing++)
		snprintf(s->problem, sizeof(s->problem), "%.*s: its source map%s%.*s is %s",
			 TEXT_LEN, file, *path ? " " : "", TEXT_LEN / 2, path,
			 err == -ENOEXEC ? "malformed"
			 : err == -EFBIG ? "too large"
					 : "missing");
}

bool source_maps_problem(const struct source_maps *s, char *text, size_t len)
{
	if (!s->n_missing)
		return false;
	if (s->n_missing == 1)
		snprintf(text, len, "%s", s->problem);
	else
		snprintf(text, len, "%s (and %llu more)", s->problem, s->n_missing - 1);
	return true;
}

/* Finds the map to which @url refers; sets base and map of the script. */
static int read_map(struct source_maps *s, const struct source_maps_script *of,
		    struct script *script)
{
	_cleanup_free_ char *url = NULL, *path = NULL;
	int err = of->url(of->data, &url);

	if (err == -EFBIG)
		report_problem(s, of->file, "", err);
	if (err)
		return err == -EFBIG ? 0 : err;
	script->is_inline = map_url_is_data(url);
	if (!script->is_inline)
		map_url_unescape(url, strlen(url));
	path = map_url_resolve(of->file, script->is_inline ? "" : url);
	script->base = path ? arena_strdup(&s->arena, path) : NULL;
	if (!script->base)
		return -ENOMEM;
	if (script->is_inline)
		err = read_inline(s, url, &script->map);
	else
		err = path[0] == '/' ? read_file(s, of, path, &script->map) : -ENOENT;
	if (err)
		report_problem(s, of->file, script->is_inline ? "" : url, err);
	return 0;
}

static struct script *find(const struct source_maps *s, const struct source_maps_script *of)
{
	struct script *script = s->scripts[bucket_of(of)];

	while (script && (script->owner != of->owner || script->url_hash != of->url_hash ||
			  strcmp(script->file, of->file) != 0))
		script = script->next;
	return script;
}

static struct script *add(struct source_maps *s, const struct source_maps_script *of)
{
	struct script *script, **bucket = &s->scripts[bucket_of(of)];

	if (s->n_scripts == MAX_SCRIPTS || s->arena.total > MAX_NAMES ||
	    s->maps_size > SOURCE_MAPS_BUDGET)
		drop_all(s);
	script = arena_alloc(&s->arena, sizeof(*script));
	if (!script)
		return NULL;
	script->owner = of->owner;
	script->url_hash = of->url_hash;
	script->file = arena_strdup(&s->arena, of->file);
	if (!script->file || read_map(s, of, script) < 0)
		return NULL;
	script->next = *bucket;
	*bucket = script;
	s->n_scripts++;
	return script;
}

void source_maps_find(struct source_maps *s, const struct source_maps_script *script,
		      struct source_maps_found *found)
{
	const struct script *known = find(s, script);

	s->last = known ? known : add(s, script);
	*found = (struct source_maps_found){
		.map = s->last ? s->last->map : NULL,
		.is_inline = s->last && s->last->is_inline,
	};
}

const char *source_maps_file(struct source_maps *s, const char *source)
{
	u64 hash = ((uintptr_t)source ^ (uintptr_t)s->last) * 0x9e3779b97f4a7c15ull >> 32;
	struct source **bucket = &s->sources[hash & (N_BUCKETS - 1)], *known = *bucket;
	_cleanup_free_ char *path = NULL;

	while (known && (known->name != source || known->script != s->last))
		known = known->next;
	if (known)
		return known->file;
	path = map_url_resolve(s->last->base, source);
	known = path ? arena_alloc(&s->arena, sizeof(*known)) : NULL;
	if (!known)
		return NULL;
	*known = (struct source){ *bucket, s->last, source, arena_strdup(&s->arena, path) };
	if (known->file)
		*bucket = known;
	return known->file;
}

struct source_maps_name *source_maps_name(struct source_maps *s, u32 line, u32 column)
{
	u64 hash = ((u64)line << 32 | column) ^ (uintptr_t)s->last;
	struct function **bucket, *f;

	bucket = &s->functions[hash * 0x9e3779b97f4a7c15ull >> 32 & (N_BUCKETS - 1)];
	for (f = *bucket; f; f = f->next)
		if (f->script == s->last && f->line == line && f->column == column)
			return &f->name;
	f = arena_alloc(&s->arena, sizeof(*f));
	if (!f)
		return NULL;
	*f = (struct function){ *bucket, s->last, line, column, { false, NULL } };
	*bucket = f;
	return &f->name;
}

u32 source_maps_count(const struct source_maps *s)
{
	return s->n_maps;
}

const char *source_maps_keep(struct source_maps *s, const char *text, size_t len)
{
	u64 hash = len;
	struct kept_name **bucket, *kept;

	for (size_t i = 0; i < len; i++)
		hash = hash * 31 + (u8)text[i];
	bucket = &s->names[hash & (N_BUCKETS - 1)];
	for (kept = *bucket; kept; kept = kept->next)
		if (kept->len == len && !memcmp(kept->text, text, len))
			return kept->text;
	kept = arena_alloc(&s->arena, sizeof(*kept) + len + 1);
	if (!kept)
		return NULL;
	kept->next = *bucket;
	kept->len = len;
	memcpy(kept->text, text, len);
	*bucket = kept;
	return kept->text;
}
