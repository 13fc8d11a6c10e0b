/* SPDX-License-Identifier: BSD-2-Clause */

/*
 *	map          {"version": 3, "sources": [..], "sourceRoot": "..", "names": [..],
 *	              "mappings": "..", "ignoreList": [..]}
 *	index map    {"version": 3, "sections": [{"offset": {"line", "column"}, "map": ..}, ..]}
 *
 * The maps of an index map are joined into one. jansson needs up to 30 bytes of memory for a byte
 * of JSON ("[0,0,..]"), so the number of values is checked before parsing.
 */

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>

#include "../util/arena.h"
#include "../util/cleanup.h"
#include "../util/json_memory.h"
#include "segments.h"
#include "source_map.h"

#define MAX_VALUES (1u << 20)
#define MAX_SEGMENTS (4u << 20)
#define MAX_DEPTH 4 /* maximum depth of nested index maps */
#define MAX_CONTENT (16ul << 20) /* bytes of `sourcesContent` kept per map */
#define MAX_STRINGS (64ul << 20) /* bytes of names, and of sources with their `sourceRoot` */

struct source {
	const char *name, *text;
	size_t text_len;
	bool is_ignored;
};

struct source_map {
	struct arena arena;
	struct segments segments;
	struct source *sources;
	const char **names;
	u32 n_sources, n_names; /* so far */
	u32 cap_sources, cap_names;
	size_t content_len; /* bytes of `sourcesContent` kept so far */
};

/* ---- JSON ---- */

/* Whether a text has so few values that parsing with jansson uses little memory. */
static bool has_few_values(const char *text, size_t len)
{
	bool in_string = false;
	u32 n = 0;

	for (size_t i = 0; i < len && n < MAX_VALUES; i++) {
		if (in_string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			in_string = !in_string;
		else if (!in_string && (text[i] == ',' || text[i] == '[' || text[i] == '{'))
			n++;
	}
	return n < MAX_VALUES;
}

/* Skips the first line that prevents a browser from running the JSON as a script. */
static const char *skip_guard(const char *text, size_t len)
{
	const char *end;

	if (len < 3 || memcmp(text, ")]}", 3) != 0)
		return text;
	end = memchr(text, '\n', len);
	return end ? end + 1 : text;
}

/* Copies a string without NUL characters, which bundlers put before names of virtual modules. */
static const char *take_string(struct source_map *m, const char *prefix, const json_t *s)
{
	const char *from = json_string_value(s);
	size_t len = json_string_length(s), prefix_len = strlen(prefix), n = prefix_len;
	char *copy = arena_alloc(&m->arena, prefix_len + len + 1);

	if (!copy)
		return NULL;
	memcpy(copy, prefix, prefix_len);
	for (size_t i = 0; i < len; i++)
		if (from[i])
			copy[n++] = from[i];
	return copy;
}

/* ---- one map ---- */

static bool is_absolute(const char *url)
{
	size_t scheme = strcspn(url, ":/");

	return url[0] == '/' || (scheme > 1 && url[scheme] == ':');
}

static int add_sources(struct source_map *m, const json_t *map)
{
	const json_t *list = json_object_get(map, "sources"), *v;
	const char *root = json_string_value(json_object_get(map, "sourceRoot"));
	char prefix[4096] = "";
	size_t i, root_len = root ? strlen(root) : 0;

	if (root_len >= sizeof(prefix) - 1)
		return -ENOEXEC;
	if (root_len)
		snprintf(prefix, sizeof(prefix), "%s%s", root,
			 root[root_len - 1] == '/' ? "" : "/");
	json_array_foreach(list, i, v)
	{
		const char *own = json_string_value(v);
		struct source *s = &m->sources[m->n_sources++];

		s->name = own ? take_string(m, is_absolute(own) ? "" : prefix, v) : NULL;
		if (own && !s->name)
			return -ENOMEM;
	}
	return 0;
}

static int add_names(struct source_map *m, const json_t *map)
{
	const json_t *list = json_object_get(map, "names"), *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const char *name = json_is_string(v) ? take_string(m, "", v) : NULL;

		if (json_is_string(v) && !name)
			return -ENOMEM;
		m->names[m->n_names++] = name;
	}
	return 0;
}

static void mark_ignored(struct source_map *m, const json_t *map, u32 first_source)
{
	const json_t *list = json_object_get(map, "ignoreList"), *v;
	size_t i;

	if (!list)
		list = json_object_get(map, "x_google_ignoreList");
	json_array_foreach(list, i, v)
	{
		json_int_t idx = json_integer_value(v);

		if (json_is_integer(v) && idx >= 0 && idx < m->n_sources - first_source)
			m->sources[first_source + idx].is_ignored = true;
	}
}

/* Stores the texts of sources that are not ignored, up to MAX_CONTENT bytes. */
static int add_content(struct source_map *m, const json_t *map, u32 first_source)
{
	const json_t *list = json_object_get(map, "sourcesContent"), *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		size_t len = json_string_length(v);
		struct source *s = &m->sources[first_source + i];

		if (i >= m->n_sources - first_source)
			break;
		if (!len || s->is_ignored || len > MAX_CONTENT - m->content_len)
			continue;
		s->text = arena_dup(&m->arena, json_string_value(v), len);
		if (!s->text)
			return -ENOMEM;
		s->text_len = len;
		m->content_len += len;
	}
	return 0;
}

/* Adds a map. The caller has set the start and end of @section; this function sets the rest. */
static int add_map(struct source_map *m, const json_t *map, struct segments_section *section)
{
	const json_t *mappings = json_object_get(map, "mappings");
	int err;

	if (!json_is_string(mappings) || !json_is_array(json_object_get(map, "sources")))
		return -ENOEXEC;
	section->first_source = m->n_sources;
	section->first_name = m->n_names;
	err = add_sources(m, map);
	if (!err)
		err = add_names(m, map);
	if (err)
		return err;
	section->n_sources = m->n_sources - section->first_source;
	section->n_names = m->n_names - section->first_name;
	mark_ignored(m, map, section->first_source);
	err = add_content(m, map, section->first_source);
	if (err)
		return err;
	return segments_decode(&m->segments, json_string_value(mappings),
			       json_string_length(mappings), section);
}

/* ---- index maps ---- */

/*
 * Reads the start of a section in the generated file. Offsets in the JSON count from the start of
 * @all.
 */
static int read_offset(const json_t *section, const struct segments_section *all, u32 *line,
		       u32 *column)
{
	const json_t *offset = json_object_get(section, "offset");
	json_int_t l = json_integer_value(json_object_get(offset, "line"));
	json_int_t c = json_integer_value(json_object_get(offset, "column"));

	if (!json_is_object(offset) || l < 0 || l > INT32_MAX || c < 0 || c > INT32_MAX)
		return -ENOEXEC;
	*line = all->line + (u32)l;
	*column = (u32)c + (l ? 0 : all->column);
	if (*line > INT32_MAX || *column > INT32_MAX)
		return -ENOEXEC;
	return 0;
}

static bool is_after(u32 line, u32 column, u32 other_line, u32 other_column)
{
	return line > other_line || (line == other_line && column > other_column);
}

/* Narrows @all to section @i of the list. Returns -ENOEXEC if the list is not in order. */
static int place_section(const json_t *list, size_t i, const struct segments_section *all,
			 struct segments_section *own)
{
	u32 line, column;
	int err = read_offset(json_array_get(list, i), all, &line, &column);

	if (err)
		return err;
	*own = *all;
	own->line = line;
	own->column = column;
	if (i + 1 == json_array_size(list))
		return 0;
	err = read_offset(json_array_get(list, i + 1), all, &line, &column);
	if (err)
		return err;
	if (is_after(own->line, own->column, line, column))
		return -ENOEXEC;
	if (is_after(own->end_line, own->end_column, line, column)) {
		own->end_line = line;
		own->end_column = column;
	}
	return 0;
}

/* Adds a map or an index map for the part @where of the generated file. */
static int add_any(struct source_map *m, const json_t *map, const struct segments_section *where,
		   u32 depth)
{
	const json_t *list = json_object_get(map, "sections"), *v;
	struct segments_section own = *where;
	size_t i;
	int err = 0;

	if (!list)
		return add_map(m, map, &own);
	if (!json_is_array(list) || depth == MAX_DEPTH)
		return -ENOEXEC;
	json_array_foreach(list, i, v)
	{
		err = place_section(list, i, where, &own);
		/*
		 * A section may have a URL instead of a map; for such a section, no segments are
		 * added.
		 */
		if (!err && json_object_get(v, "map"))
			err = add_any(m, json_object_get(v, "map"), &own, depth + 1);
		if (err)
			return err;
	}
	return 0;
}

/* Counts all sources and names. */
static void count_lists(const json_t *map, u32 depth, struct source_map *m)
{
	const json_t *list = json_object_get(map, "sections"), *v;
	size_t i;

	if (!list) {
		m->cap_sources += (u32)json_array_size(json_object_get(map, "sources"));
		m->cap_names += (u32)json_array_size(json_object_get(map, "names"));
	}
	if (depth < MAX_DEPTH)
		json_array_foreach(list, i, v) count_lists(json_object_get(v, "map"), depth + 1, m);
}

/* ---- the whole map ---- */

static int read_map(struct source_map *m, const json_t *map)
{
	const struct segments_section all = { .end_line = SEGMENTS_NO_END };
	int err;

	if (!json_is_object(map) || json_integer_value(json_object_get(map, "version")) != 3)
		return -ENOEXEC;
	count_lists(map, 0, m);
	m->arena.limit = MAX_STRINGS;
	m->sources = arena_alloc(&m->arena, (m->cap_sources + 1ul) * sizeof(*m->sources));
	m->names = arena_alloc(&m->arena, (m->cap_names + 1ul) * sizeof(*m->names));
	if (!m->sources || !m->names)
		return -ENOMEM;
	m->segments.max = MAX_SEGMENTS;
	err = add_any(m, map, &all, 0);
	segments_sort(&m->segments);
	return err;
}

int source_map_new(struct source_map **map, const char *text, size_t len)
{
	_cleanup_(source_map_free) struct source_map *m = calloc(1, sizeof(*m));
	const char *json = skip_guard(text, len);
	size_t json_len = len - (size_t)(json - text);
	json_t *root;
	int err;

	if (!m)
		return -ENOMEM;
	if (len > SOURCE_MAP_MAX_LEN || !has_few_values(json, json_len))
		return -EFBIG;
	root = json_loadb(json, json_len, JSON_ALLOW_NUL, NULL);
	err = json_memory_failed() ? -ENOMEM : root ? read_map(m, root) : -ENOEXEC;
	json_decref(root);
	if (!err)
		*map = TAKE_PTR(m);
	return err;
}

void source_map_free(struct source_map **map)
{
	if (!*map)
		return;
	arena_clear(&(*map)->arena);
	free((*map)->segments.v);
	free(*map);
	*map = NULL;
}

size_t source_map_size(const struct source_map *map)
{
	return sizeof(*map) + map->arena.total + map->segments.room * sizeof(*map->segments.v);
}

static int place_of(const struct source_map *map, const struct segment *s,
		    struct source_map_place *place)
{
	const struct source *source;

	if (!s || s->source == SEGMENT_NONE)
		return -ENOENT;
	source = &map->sources[s->source];
	if (!source->name)
		return -ENOENT;
	*place = (struct source_map_place){
		.source = source->name,
		.line = s->source_line + 1,
		.column = s->source_column + 1,
		.name = s->name == SEGMENT_NONE ? NULL : map->names[s->name],
		.is_ignored = source->is_ignored,
		.text = source->text,
		.text_len = source->text_len,
	};
	return 0;
}

int source_map_find(const struct source_map *map, u32 line, u32 column,
		    struct source_map_place *place)
{
	if (!line || !column)
		return -ENOENT;
	return place_of(map, segments_find(&map->segments, line - 1, column - 1), place);
}

int source_map_find_start(const struct source_map *map, u32 line, u32 column,
			  struct source_map_place *place)
{
	const struct segment *s;

	if (!line || !column)
		return -ENOENT;
	s = segments_find(&map->segments, line - 1, column - 1);
	return s && s->column == column - 1 ? place_of(map, s, place) : -ENOENT;
}
