/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Internals of modules, shared by module.c (files, symbols), module_lines.c (the helper) and
 * module_function.c (functions by symbol or start).
 */

#include <sys/types.h>

#include "../../inspect/symbols/symbols.h"
#include "../process/map_device.h"
#include "debuginfod.h"
#include "helper.h"
#include "lines_cache.h"
#include "module.h"
#include "module_go.h"

struct module_key {
	u64 dev, inode, size, changed_ns;
};

struct module {
	struct module_info info;
	struct module_key key;
	char *path, *build_id;
	int fd; /* -1: the file was closed, to limit the number of open files */
	u32 pid; /* process that mapped it last; 0: none yet */
	bool has_no_symbols; /* reading symbols failed permanently */
	bool is_refused; /* reading the file took too long */
	struct symbols *symbols; /* NULL: not read, or freed to limit memory */
	struct module_go *go; /* NULL for the same reasons as symbols, or if this is not a Go
			       * program */
	struct starts *starts; /* functions without names; NULL: not needed yet, freed with symbols,
				* or has_no_starts */
	bool has_no_starts;
	u64 used; /* last use, in the cache's clock */

	/* State in the helper. */
	uid_t uid; /* user of the process in whose root the helper looks for debug files */
	u32 sent; /* generation of the helper to which the module was sent; 0: none */
	bool is_answered; /* the helper has reported its result */
	bool is_given_up; /* no further requests */
	bool has_lines;
	bool has_more; /* another file, more_fd, has functions that this file lacks */
	int more_fd; /* -1: none, or closed to limit the number of open files */
	struct symbols *more; /* functions of the file more_fd; NULL for the same reasons as
			       * symbols */
	bool was_fetched; /* the module's debug file was requested from debuginfod */
	char *fetched; /* path of the fetched file; NULL: none */
	char *why; /* NULL, or the reason why the module lacks expected lines or names */
};

/* Helpers that died while they read files for a user's processes. */
struct module_deaths {
	uid_t uid;
	u32 n;
};

#define MODULES_MAX_DEATHS 4 /* for a user, whose files then have no lines */

struct modules {
	struct module_deaths deaths[HELPER_MAX_STARTS];
	u32 n_deaths; /* users */
	struct module *v[MODULES_MAX]; /* sorted by id */
	u32 n, last_id;
	u32 n_refused; /* modules whose files took too long to read */
	u64 clock;
	struct helper *helper;
	struct debuginfod *debuginfod; /* NULL: fetching is disabled */
	struct lines_cache *lines;
	struct map_devices devices;
};

struct module *modules_find(struct modules *m, u32 id);

/*
 * Frees data of modules until the limits are met. The module in use was used last, so its data
 * stays.
 */
void modules_make_room(struct modules *m);
