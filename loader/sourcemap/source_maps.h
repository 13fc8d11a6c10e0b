/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The source maps of generated scripts: found by the URL in the script's text, read once, and kept.
 * If they take more than SOURCE_MAPS_BUDGET bytes when another one is wanted, all are dropped, and
 * read again as they are wanted.
 *
 * A map in a file is shared by all processes that have this file; one in a data: URL belongs to its
 * process.
 */

#include "../../inspect/sourcemap/source_map.h"
#include "../profile/profile_types.h"

#define SOURCE_MAPS_BUDGET (64ul << 20)

struct source_maps;

/* A generated script. */
struct source_maps_script {
	u64 owner; /* number of its process */
	const char *file; /* path or file: URL; of code of eval its origin */
	u64 url_hash; /* of the URL in its text */
	/* The URL, to be freed. 0, -EAGAIN (it can't be read now) or another negative errno. */
	int (*url)(void *data, char **url);
	/* A regular file for reading, by absolute path, or a negative errno. */
	int (*open)(void *data, const char *path);
	void *data;
};

/* The map of a script. */
struct source_maps_found {
	const struct source_map *map; /* NULL: there is none */
	bool is_inline; /* in a data: URL: the script's text is in no file */
};

int source_maps_new(struct source_maps **s);
void source_maps_free(struct source_maps **s);

/**
 * source_maps_find() - the map of a script
 * @found:	borrowed until the next call
 */
void source_maps_find(struct source_maps *s, const struct source_maps_script *script,
		      struct source_maps_found *found);

/**
 * source_maps_file() - the path of a source
 * @source:	as the map that was found last has it
 *
 * Return: a path, or a URL of another scheme, borrowed until the next source_maps_find(); NULL
 * without memory.
 */
const char *source_maps_file(struct source_maps *s, const char *source);

/* What is known of the name of a function. */
struct source_maps_name {
	bool is_known;
	const char *name; /* NULL: no better one than V8's */
};

/* Of that which starts there in the script that was found last; NULL without memory. */
struct source_maps_name *source_maps_name(struct source_maps *s, u32 line, u32 column);

/* A copy of a name that lives as long, one for equal names; NULL without memory. */
const char *source_maps_keep(struct source_maps *s, const char *text, size_t len);

/* How many maps are kept. */
u32 source_maps_count(const struct source_maps *s);

/**
 * source_maps_problem() - a script whose map is missing or malformed
 * @text:	one line about the first of them, and how many there are
 *
 * Return: whether there is one.
 */
bool source_maps_problem(const struct source_maps *s, char *text, size_t len);
