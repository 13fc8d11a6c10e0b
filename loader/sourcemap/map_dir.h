/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Source maps for a profile of another machine: those in a folder.
 *
 * Of /srv/app/dist/app.js the map is the one that the file of this name in the folder names, else
 * app.js.map. A path is looked for by its longest end first:
 *
 *	DIR/srv/app/dist/app.js.map, DIR/app/dist/app.js.map, DIR/dist/app.js.map, DIR/app.js.map
 */

#include "../profile/reader.h"

struct map_dir;

#define MAP_DIR_HELP                                                                               \
	"Name functions of generated JavaScript by the source maps in this folder, for a profile " \
	"of another machine"

/* 0, -ENOMEM, or what opening the folder gave. */
int map_dir_new(struct map_dir **d, const char *path);

/* The same for an option of a command, with a message on failure. */
int map_dir_open(struct map_dir **d, const char *path);
void map_dir_free(struct map_dir **d);

/* From now on @r names frames by the folder's maps, which must outlive it. @d NULL: by none. */
void map_dir_attach(struct map_dir *d, struct prof_reader *r);
