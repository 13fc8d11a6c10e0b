/* SPDX-License-Identifier: BSD-2-Clause */

#include "map_frame.h"

#include "../../inspect/sourcemap/source_name.h"

#include <errno.h>
#include <string.h>

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || c == '#';
}

static size_t skip_spaces(const char *text, size_t end)
{
	while (end && (text[end - 1] == ' ' || text[end - 1] == '\t'))
		end--;
	return end;
}

static size_t start_of_word(const char *text, size_t end)
{
	while (end && is_word(text[end - 1]))
		end--;
	return end;
}

/*
 * Removes a word, and the spaces before it, from the end of the text. Returns false if the
 * text ends otherwise.
 */
static bool take_word(const char *text, size_t *end, const char *word)
{
	size_t start = start_of_word(text, *end);

	if (*end - start != strlen(word) || memcmp(text + start, word, *end - start) != 0)
		return false;
	*end = skip_spaces(text, start);
	return true;
}

/* Removes "=" or ":" from the end of the text, but not "==" or "+=". */
static bool take_assignment(const char *text, size_t *end)
{
	if (!*end || (text[*end - 1] != '=' && text[*end - 1] != ':'))
		return false;
	if (*end > 1 && text[*end - 1] == '=' && strchr("=!<>+-*/%&|^?", text[*end - 2]))
		return false;
	*end = skip_spaces(text, *end - 1);
	return true;
}

/* Removes "__name(" from the end of the text. */
static bool take_call(const char *text, size_t *end)
{
	size_t before = *end;

	if (!before || text[before - 1] != '(')
		return false;
	before = skip_spaces(text, before - 1);
	if (!take_word(text, &before, "__name"))
		return false;
	*end = before;
	return true;
}

/*
 * Removes a comment from the end of the text, such as the annotation of a call without side
 * effects.
 */
static void take_comment(const char *text, size_t *end)
{
	size_t start = *end;

	if (start < 4 || text[start - 2] != '*' || text[start - 1] != '/')
		return;
	for (start -= 4; start && (text[start] != '/' || text[start + 1] != '*'); start--)
		;
	*end = skip_spaces(text, start);
}

int map_frame_name(const char *text, size_t len, struct map_frame_name *name)
{
	size_t end = skip_spaces(text, len), start;
	bool is_expression = false, is_given;

	if (end && text[end - 1] == '*')
		end = skip_spaces(text, end - 1);
	is_expression |= take_word(text, &end, "function");
	is_expression |= take_word(text, &end, "async");
	is_given = take_call(text, &end);
	if (is_given)
		take_comment(text, &end);
	if (!take_assignment(text, &end) && (is_expression || is_given))
		return -ENOENT;
	start = start_of_word(text, end);
	if (start == end || (start && (u8)text[start - 1] >= 0x80))
		return -ENOENT;
	*name = (struct map_frame_name){ start, end - start, is_given };
	return 0;
}

static bool is_called(const struct prof_frame *f, const char *name, size_t len)
{
	const char *dot = strrchr(f->name, '.'), *own = dot ? dot + 1 : f->name;

	return strlen(own) == len && !memcmp(own, name, len);
}

/*
 * Finds the name of a function by the token before the function. The result is the name that
 * the map has for the token, or the token itself if a call such as __name() gives it to the
 * function. NULL: use V8's name.
 */
static const char *find_token_name(struct source_maps *s, const struct source_map *map,
				   const struct prof_frame *f, const char *text, size_t len)
{
	struct map_frame_name name;
	struct source_map_place at;
	u32 before;

	if (map_frame_name(text, len, &name))
		return NULL;
	if (!is_called(f, text + name.off, name.len) &&
	    !(name.is_given && !strcmp(f->name, "(anonymous)")))
		return NULL;
	before = (u32)(len - name.off);
	if (before < f->start_column &&
	    !source_map_find_start(map, f->start_line, f->start_column - before, &at) && at.name &&
	    *at.name)
		return at.name;
	return name.is_given ? source_maps_keep(s, text + name.off, name.len) : NULL;
}

/* Minifiers generate names of one or two letters. */
static bool is_useless(const char *name)
{
	const char *dot = strrchr(name, '.');

	return !strcmp(name, "(anonymous)") || strlen(dot ? dot + 1 : name) <= 2;
}

/*
 * Finds the name in the source text at the function's start. Does this only if the name so
 * far is useless.
 */
static const char *find_source_name(struct source_maps *s, const struct prof_frame *f,
				    const struct source_map_place *start)
{
	const char *name;
	size_t len;

	if (!is_useless(f->name) || !start->text ||
	    source_name(start->text, start->text_len, start->line, start->column, &name, &len))
		return NULL;
	return source_maps_keep(s, name, len);
}

/*
 * Finds the name of a function; NULL: use V8's name. The result is cached, unless the text is
 * unreadable now.
 */
static const char *find_name(struct source_maps *s, const struct source_map *map,
			     const struct prof_frame *f, const struct source_map_place *start,
			     map_frame_text_fn *read, void *data)
{
	struct source_maps_name *known = source_maps_name(s, f->start_line, f->start_column);
	const char *name = NULL;
	char text[MAP_FRAME_TEXT];
	int len;

	if (!f->name || !known || known->is_known)
		return f->name && known ? known->name : NULL;
	len = read(data, text, sizeof(text));
	if (len > 0)
		name = find_token_name(s, map, f, text, (size_t)len);
	if (!name)
		name = find_source_name(s, f, start);
	known->is_known = len >= 0;
	known->name = name;
	return name;
}

void map_frame_drop_line(struct prof_frame *f)
{
	f->generated_file = f->file;
	f->generated_line = f->line;
	f->generated_column = f->column;
	f->line = f->column = f->start_line = f->start_column = 0;
}

/*
 * @is_elsewhere: the executed line is in another source than the start of the function, because
 * code of that source was moved into the function.
 */
static void place(struct prof_frame *f, const struct source_map_place *start,
		  const struct source_map_place *line, bool is_elsewhere)
{
	f->generated_file = f->file;
	f->generated_line = f->line;
	f->generated_column = f->column;
	f->start_line = start ? start->line : 0;
	f->start_column = start ? start->column : 0;
	f->line = line && !is_elsewhere ? line->line : 0;
	f->column = line && !is_elsewhere ? line->column : 0;
	f->ignored = (start ? start : line)->is_ignored;
}

void map_frame(struct source_maps *s, const struct source_maps_script *script, struct prof_frame *f,
	       map_frame_text_fn *text, void *data)
{
	struct source_map_place start, line;
	struct source_maps_found found;
	const char *name, *file = NULL;
	bool is_module, has_start, has_line;

	source_maps_find(s, script, &found);
	/*
	 * The function that consists of a whole module starts at 1:1, but its start must not be
	 * mapped to the first source of the bundle.
	 */
	is_module = f->start_line == 1 && f->start_column == 1;
	has_start = found.map && !is_module &&
		    !source_map_find(found.map, f->start_line, f->start_column, &start);
	has_line = found.map && !source_map_find(found.map, f->line, f->column, &line);
	if (has_start || has_line)
		file = source_maps_file(s, has_start ? start.source : line.source);
	if (!file) {
		if (found.is_inline)
			map_frame_drop_line(f);
		return;
	}
	name = has_start ? find_name(s, found.map, f, &start, text, data) : NULL;
	place(f, has_start ? &start : NULL, has_line ? &line : NULL,
	      has_start && has_line && strcmp(start.source, line.source) != 0);
	f->file = file;
	if (name)
		f->name = name;
}
