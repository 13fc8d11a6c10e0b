/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Debug files from servers, for who asks for them: debuginfod-find(1) of elfutils fetches one for
 * each build id, as the user who called the recorder, into his cache, from the servers in
 * $DEBUGINFOD_URLS. It is a process of its own, so nothing of it is linked in, and a server that
 * never answers blocks nobody.
 */

#include "../../core/types.h"

#define DEBUGINFOD_PROGRAM "debuginfod-find"
#define DEBUGINFOD_MAX_RUNNING 4
#define DEBUGINFOD_MAX_WAITING 512
#define DEBUGINFOD_PATIENCE_NS 60000000000ull /* of one file */

struct debuginfod;

/* 0 or -ENOMEM. Freeing it ends what is running. */
int debuginfod_new(struct debuginfod **d);
void debuginfod_free(struct debuginfod **d);

/* Asks for the debug file of a build id. 0 or -EAGAIN: too much is asked already. */
int debuginfod_ask(struct debuginfod *d, u32 module, const char *build_id);

/* @path: the file, in the cache; NULL: no server has it, or @why. */
typedef void debuginfod_fn(u32 module, const char *path, const char *why, void *data);

/* Takes the answers that are there; never waits. */
void debuginfod_poll(struct debuginfod *d, debuginfod_fn *fn, void *data);

/* Why it can't be used here, one line for people; NULL: it can. */
const char *debuginfod_why_not(void);
