/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Source maps in a folder, for profiles of another machine.
 *
 * To find the map of /srv/app/dist/app.js, the folder is searched for a copy of app.js that
 * names a map; without such a copy, it is searched for app.js.map. Longer suffixes of the path
 * are tried first:
 *
 *	DIR/srv/app/dist/app.js.map, DIR/app/dist/app.js.map, DIR/dist/app.js.map, DIR/app.js.map
 */

#include "../profile/reader.h"

struct map_dir;

#define MAP_DIR_HELP                                                                               \
	"Use the source maps in this folder to name functions of generated JavaScript, for a "     \
	"profile of another machine"

/* Returns 0, -ENOMEM, or the error of opening the folder. */
int map_dir_new(struct map_dir **d, const char *path);

/* Like map_dir_new() for a command-line option; prints an error message on failure. */
int map_dir_open(struct map_dir **d, const char *path);
void map_dir_free(struct map_dir **d);

/*
 * Makes @r apply the folder's maps to the frames that it reads. @d must outlive @r. NULL: no
 * maps.
 */
void map_dir_attach(struct map_dir *d, struct prof_reader *r);
