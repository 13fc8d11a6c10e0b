/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * CoreCLR in another process. Private to inspect/dotnet.
 *
 *	dotnet_runtime.c   the object itself, its modules
 *	dotnet_range.c     the range section of an address
 *	dotnet_ranges.c    all range sections, for the walk's tables
 *	dotnet_code.c      the code at an address: nibble map, header
 *	dotnet_method.c    the row of metadata of a MethodDesc
 *	dotnet_module.c    the metadata of a module, in memory
 *	dotnet_type.c      names of types and type arguments, from MethodTables
 *	dotnet_field.c     offsets of fields in objects
 *	dotnet_await.c     async methods and their awaiters
 *	dotnet_image.c     ReadyToRun images
 *	dotnet_restored.c  the runtime's table of ReadyToRun methods
 *	dotnet_name.c      readable names
 *	dotnet_line.c      lines
 *	dotnet_tier.c      tiers
 *	dotnet_thread.c    the runtime's Thread objects
 *	dotnet_home.c      the stack slot of `this`
 *
 * The functions of X.c for other files of this folder are declared in X.h, those for users in
 * dotnet.h.
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

/* Empties caches that are full, which happens if a program loads and unloads many assemblies. */
void dotnet_runtime_trim(struct dotnet_runtime *rt);

/* Reads memory of the target. Returns 0 or a negative errno. */
int dotnet_read(struct dotnet_runtime *rt, u64 addr, void *dst, size_t len);
int dotnet_word(struct dotnet_runtime *rt, u64 addr, u64 *word);
/* Reads a NUL-terminated text of at most @len - 1 bytes; -E2BIG if the text is longer. */
int dotnet_text(struct dotnet_runtime *rt, u64 addr, char *dst, size_t len);
