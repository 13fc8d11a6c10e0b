/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Fetches debug files from servers, if the user enables this. debuginfod-find(1) of elfutils
 * fetches the file for a build id from the servers in $DEBUGINFOD_URLS. This program runs as the
 * user that called the recorder, and writes to that user's cache. Because it is a separate
 * program, its code is not linked with the recorder, and a server that never answers does not
 * block the recorder.
 */

#include "../../core/types.h"

#define DEBUGINFOD_PROGRAM "debuginfod-find"
#define DEBUGINFOD_MAX_RUNNING 4
#define DEBUGINFOD_MAX_WAITING 512
#define DEBUGINFOD_PATIENCE_NS 60000000000ull /* for one file */

struct debuginfod;

/* Return: 0 or -ENOMEM. debuginfod_free() kills programs that are running. */
int debuginfod_new(struct debuginfod **d);
void debuginfod_free(struct debuginfod **d);

/* Requests the debug file of a build id. Return: 0 or -EAGAIN (too many pending requests). */
int debuginfod_ask(struct debuginfod *d, u32 module, const char *build_id);

/*
 * @path: the file in the cache; NULL: no server has the file, or fetching failed and @why is the
 * reason.
 */
typedef void debuginfod_fn(u32 module, const char *path, const char *why, void *data);

/* Processes available answers; never blocks. */
void debuginfod_poll(struct debuginfod *d, debuginfod_fn *fn, void *data);

/* Return: a message of one line if debuginfod-find can't be used here, otherwise NULL. */
const char *debuginfod_why_not(void);
