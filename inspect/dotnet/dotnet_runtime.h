/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * CoreCLR in another process. Private to inspect/dotnet.
 *
 *	dotnet_runtime.c   the object itself, its modules
 *	dotnet_range.c     which range section an address lies in
 *	dotnet_ranges.c    all of them, as a walk has to know them
 *	dotnet_code.c      which code: nibble map, header
 *	dotnet_method.c    from a MethodDesc to a row of metadata
 *	dotnet_module.c    where a module's metadata lies in memory
 *	dotnet_type.c      type arguments: from a MethodTable to a name
 *	dotnet_field.c     where an object keeps a field
 *	dotnet_await.c     async methods, and what waits for them
 *	dotnet_image.c     code that was compiled ahead of time
 *	dotnet_restored.c  its methods, as the runtime knows them
 *	dotnet_name.c      names as people read them
 *	dotnet_line.c      lines
 *	dotnet_tier.c      tiers
 *	dotnet_thread.c    the runtime's own objects of threads
 *	dotnet_home.c      where a frame keeps `this`
 *
 * A file that others of them call has a header of its name; dotnet.h declares the rest.
 *
 *	pc -> RangeSection -> CodeHeap, nibble map -> code start
 *	code start - 8 -> RealCodeHeader -> MethodDesc -> MethodDescChunk -> MethodTable
 *	MethodTable -> Module -> metadata: row of the method, its type, its signature
 */

#include "dotnet_build.h"

#define DOTNET_MAX_MODULES 4096

struct dotnet_image;
struct dotnet_module;

struct dotnet_runtime {
	const struct dotnet_build *build;
	const struct dotnet_layout *l;
	struct target *target;
	u64 bias;
	struct dotnet_module **modules;
	size_t n_modules;
	struct dotnet_image **images;
	size_t n_images;
	int (*open_file)(void *data, u64 addr, const char *name); /* or NULL */
	void *open_file_data;
};

/* Before each question: a program that loads and unloads assemblies fills the caches. */
void dotnet_runtime_trim(struct dotnet_runtime *rt);

/* Reads of the target; 0 or a negative errno. */
int dotnet_read(struct dotnet_runtime *rt, u64 addr, void *dst, size_t len);
int dotnet_word(struct dotnet_runtime *rt, u64 addr, u64 *word);
/* A NUL-terminated text of at most @len - 1 bytes; -E2BIG if it is longer. */
int dotnet_text(struct dotnet_runtime *rt, u64 addr, char *dst, size_t len);
