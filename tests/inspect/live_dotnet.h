/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A .NET process under test, and what its own runtime says of its code. */

#include <stdio.h>

#include "../../inspect/dotnet/dotnet.h"

struct live_dotnet {
	int pid;
	FILE *out; /* its standard output */
	int in; /* its standard input: it ends when this does */
	char tmp[64]; /* its TMPDIR */
	struct target_process process;
	struct dotnet_build *build;
	struct dotnet_runtime *runtime;
	u64 bias;
};

/* A method that the runtime compiled, as it wrote it into its perf map. */
struct perf_method {
	u64 addr, len;
	char *text; /* the name as it stands there, with module, signature and tier */
};

struct perf_map {
	struct perf_method *methods;
	size_t n, n_stubs;
};

/*
 * Starts FOLDER/names. Without precompiled code the runtime compiles, and writes into its
 * perf map, every method that runs; with it, it tells of the precompiled ones in a jitdump.
 * All of these: 0 or a negative errno.
 */
int live_dotnet_start(struct live_dotnet *d, const char *folder, bool is_precompiled);
void live_dotnet_end(struct live_dotnet *d);

/* Reads lines until "ready"; each "frame ..." line goes to @fn. Then stops the process. */
int live_dotnet_wait(struct live_dotnet *d, void (*fn)(const char *line, void *data), void *data);

/* Finds the runtime in the stopped process; -ENOENT: there is none. */
int live_dotnet_find(struct live_dotnet *d);

/* Methods whose place was not taken by a later one. */
int live_dotnet_read_map(struct live_dotnet *d, struct perf_map *map);

/* Does the walk find all those? Prints how many; 0: it does, and no method a byte too long. */
int live_dotnet_check_walk(struct live_dotnet *d, const struct perf_map *map);

/* Precompiled methods that ran, from the jitdump. */
int live_dotnet_read_dump(struct live_dotnet *d, struct perf_map *map);
void perf_map_free(struct perf_map *map);

/* Opens what lies beside the file that is mapped at an address; for dotnet_runtime_set_files(). */
int live_dotnet_open_beside(void *live_dotnet, u64 addr, const char *name);

/*
 * Does the runtime call a method this? "ret [module] Ns.Type`1+Nested[args]::Method(...)":
 * type without arguments and method have to be equal, of a dynamic one the method.
 */
bool perf_method_is(const struct perf_method *m, const struct dotnet_name *name);
