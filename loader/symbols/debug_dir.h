/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Binaries and debug files in a folder, for profiles of another machine. A file is found by the
 * build id of the frame's module:
 *
 *	DIR/.build-id/xx/yyyy.debug, DIR/usr/lib/debug/.build-id/xx/yyyy.debug
 *	any file in DIR or its subfolders that has this build id
 */

#include "../profile/reader.h"

#define DEBUG_DIR_MAX_FILES (1u << 16) /* limit of files and folders that are searched */
#define DEBUG_DIR_MAX_DEPTH 16 /* limit of nested folders */

struct debug_dir;

#define DEBUG_DIR_HELP                                                                             \
	"Use the binaries and debug files in this folder to name native functions, for a profile " \
	"of another machine"

/* Returns 0, -ENOMEM, or the error of opening the folder. */
int debug_dir_new(struct debug_dir **d, const char *path);

/* Like debug_dir_new() for a command-line option; prints an error message on failure. */
int debug_dir_open(struct debug_dir **d, const char *path);
void debug_dir_free(struct debug_dir **d);

/*
 * Makes @r name native frames that have no name. Functions that are inlined into a named function
 * are not shown. @d must outlive @r. NULL: names nothing.
 */
void debug_dir_attach(struct debug_dir *d, struct prof_reader *r);

/*
 * Gets the modules of unnamed frames for which the folder has no file. @path, @build_id: of the
 * first of them; borrowed. Return: the number of modules; 0 also if @d is NULL.
 */
u32 debug_dir_missing(const struct debug_dir *d, const char **path, const char **build_id);

/* Prints the result of debug_dir_missing(), if there are any modules, to standard error. */
void debug_dir_print_missing(const struct debug_dir *d);
