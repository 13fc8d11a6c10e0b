/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A .NET process under test, and the runtime's own records of its code. */

#include <stdio.h>

#include "../../inspect/dotnet/dotnet.h"

struct live_dotnet {
	int pid;
	FILE *out; /* its standard output */
	int in; /* the process's standard input; when it is closed, the process ends */
	char tmp[64]; /* its TMPDIR */
	struct target_process process;
	struct dotnet_build *build;
	struct dotnet_runtime *runtime;
	u64 bias;
};

/* A method that the runtime compiled and recorded in the perf map. */
struct perf_method {
	u64 addr, len;
	char *text; /* the complete text: module, name, signature and tier */
};

struct perf_map {
	struct perf_method *methods;
	size_t n, n_stubs;
};

/*
 * Starts FOLDER/names. Starts the program. Without precompiled code, the runtime compiles every
 * method that runs and records it in the perf map. With precompiled code, it also records
 * precompiled methods in a jitdump. All functions here return 0 or a negative errno.
 */
int live_dotnet_start(struct live_dotnet *d, const char *folder, bool is_precompiled);
void live_dotnet_end(struct live_dotnet *d);

/*
 * Reads the program's output up to "ready", passes each "frame ..." line to @fn, then stops the
 * process.
 */
int live_dotnet_wait(struct live_dotnet *d, void (*fn)(const char *line, void *data), void *data);

/* Finds the runtime in the stopped process; -ENOENT: there is none. */
int live_dotnet_find(struct live_dotnet *d);

/* Reads the methods of the perf map that no later method has replaced. */
int live_dotnet_read_map(struct live_dotnet *d, struct perf_map *map);

/*
 * Checks that the walk finds every method of @map by its bytes, and does not find it one byte after
 * its end. Prints the number of methods.
 */
int live_dotnet_check_walk(struct live_dotnet *d, const struct perf_map *map);

/* Reads the precompiled methods that ran from the jitdump. */
int live_dotnet_read_dump(struct live_dotnet *d, struct perf_map *map);
void perf_map_free(struct perf_map *map);

/*
 * Opens file @name in the folder of the file that is mapped at @addr; for
 * dotnet_runtime_set_files().
 */
int live_dotnet_open_beside(void *live_dotnet, u64 addr, const char *name);

/*
 * Is @name the name in the perf map, "ret [module] Ns.Type`1+Nested[args]::Method(...)"? The type
 * (without type arguments) and the method must be equal; for a dynamic method, only the method.
 */
bool perf_method_is(const struct perf_method *m, const struct dotnet_name *name);
