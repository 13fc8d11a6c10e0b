/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds the source maps of generated scripts. A map is found by the URL in the script's text,
 * read once, and cached. If the cache exceeds SOURCE_MAPS_BUDGET bytes when another map is
 * needed, all maps are dropped and read again on demand.
 *
 * All processes that load the same map file share the map; a map in a data: URL belongs to a
 * single process.
 */

#include "../../inspect/sourcemap/source_map.h"
#include "../profile/profile_types.h"

#define SOURCE_MAPS_BUDGET (64ul << 20)

struct source_maps;

/* A generated script. */
struct source_maps_script {
	u64 owner; /* number of the process that has the script */
	const char *file; /* path or file: URL; for code from eval(), its origin */
	u64 url_hash; /* hash of the URL of the map in the script's text; 0: none */
	/*
	 * Stores the URL, which the caller frees. Returns 0, -EAGAIN (unreadable now), -EFBIG
	 * or another negative errno.
	 */
	int (*url)(void *data, char **url);
	/* Opens a regular file by absolute path for reading. Returns an fd or a negative errno. */
	int (*open)(void *data, const char *path);
	/* Whether each line of the script is at the same place in its file (deferred_maps.h). */
	bool (*is_own)(void *data);
	void *data;
};

/* The map that was found for a script. */
struct source_maps_found {
	const struct source_map *map; /* NULL: none */
	bool is_inline; /* the map is in a data: URL, so the script's text is in no file */
};

int source_maps_new(struct source_maps **s);
void source_maps_free(struct source_maps **s);

/**
 * source_maps_find() - find the map of a script
 * @found:	borrowed until the next call
 */
void source_maps_find(struct source_maps *s, const struct source_maps_script *script,
		      struct source_maps_found *found);

/**
 * source_maps_file() - find the path of a source
 * @source:	name of a source in the map that was found last
 *
 * Return: a path, or a URL of another scheme, borrowed until the next source_maps_find();
 *         NULL if out of memory.
 */
const char *source_maps_file(struct source_maps *s, const char *source);

/* The cached name of a function. */
struct source_maps_name {
	bool is_known;
	const char *name; /* NULL: use V8's name */
};

/* Finds the function with this start in the script that was found last; NULL if out of memory. */
struct source_maps_name *source_maps_name(struct source_maps *s, u32 line, u32 column);

/* Returns a shared copy of a name, valid as long as @s; NULL if out of memory. */
const char *source_maps_keep(struct source_maps *s, const char *text, size_t len);

/* Returns the number of cached maps. */
u32 source_maps_count(const struct source_maps *s);

/**
 * source_maps_problem() - report missing and malformed maps
 * @text:	receives one line: the first such script, and the number of them
 *
 * Return: whether a map is missing or malformed.
 */
bool source_maps_problem(const struct source_maps *s, char *text, size_t len);
