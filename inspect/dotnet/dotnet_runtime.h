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
 *	pc -> RangeSection -> CodeHeap, nibble map -> code start
 *	code start - 8 -> RealCodeHeader -> MethodDesc -> MethodDescChunk -> MethodTable
 *	MethodTable -> Module -> metadata: row of the method, its type, its signature
 */

#include "dotnet_build.h"
#include "metadata.h"
#include "pdb.h"
#include "r2r.h"
#include "text.h"

#define DOTNET_MAX_MODULES 4096

/* An assembly in the process; as long as its Module says the same, and its MVID is there. */
struct dotnet_module {
	u64 addr; /* of the Module */
	u64 name_addr, base_addr; /* as read from it */
	bool is_dynamic; /* made while the program runs, and not for good yet */
	char name[256];
	struct metadata metadata;
	u64 mvid_addr; /* 0: it has none */
	u8 mvid[16]; /* no other build of an assembly has it */
	const char *reason; /* why there is no metadata, or NULL */
	struct pdb *pdb; /* NULL: there is none, or it was not sought yet */
	bool was_pdb_sought;
};

/* An image with code that was compiled ahead of time. */
struct dotnet_image {
	u64 addr, module; /* where it is mapped, and of which Module */
	struct r2r *r2r; /* NULL: it can't be read */
};

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

/* ---- dotnet_range.c ---- */

enum dotnet_section_kind { DOTNET_SECTION_HEAP, DOTNET_SECTION_STUBS, DOTNET_SECTION_R2R };

struct dotnet_section {
	enum dotnet_section_kind kind;
	u64 start_addr, end_addr;
	u64 heap; /* CodeHeapListNode of a heap; range list of stubs; Module of R2R */
};

/* 0, -ENOENT, -ELOOP (a list without end) or what reading gave. */
int dotnet_section_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_section *s);

/*
 * Each section, some more than once. Stops where the index can't be read; returns what @fn
 * returned last, when it is not 0, or 0 or -ELOOP.
 */
int dotnet_sections_each(struct dotnet_runtime *rt,
			 int (*fn)(const struct dotnet_section *s, void *data), void *data);

/* ---- dotnet_code.c ---- */

/* What a code heap says of itself (CodeHeapListNode). */
struct dotnet_heap {
	u64 next, heap, start, end, map_base, header_map;
};

/* 0, -EINVAL or what reading gave. */
int dotnet_heap_read(struct dotnet_runtime *rt, u64 addr, struct dotnet_heap *heap);

/* ---- dotnet_method.c ---- */

/* What a MethodDesc says. */
struct dotnet_method {
	u64 addr;
	u32 class; /* DOTNET_CLASS_* */
	u32 token;
	u64 type; /* MethodTable */
	u64 module; /* Module */
	bool is_tiered; /* may be compiled in tiers; from .NET 8 on */
};

/* MethodClassification (vm/method.hpp). */
#define DOTNET_CLASS_INSTANTIATED 5
#define DOTNET_CLASS_DYNAMIC 7

int dotnet_method_read(struct dotnet_runtime *rt, u64 method_desc, struct dotnet_method *m);

/* First byte of the code that a method had first; -ENOENT: it keeps none. From .NET 8 on. */
int dotnet_method_code(struct dotnet_runtime *rt, u64 method_desc, u64 *start);

/* ---- dotnet_home.c ---- */

/* Where a frame keeps `this`: at fp + slot, once @from bytes of the code were executed. */
struct dotnet_home {
	s32 slot;
	u32 from;
};

/* 0, -ENOENT (it keeps it nowhere that is known), -EINVAL, -ENOTSUP or what reading gave. */
int dotnet_home_find(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     struct dotnet_home *home);

/* ---- dotnet_module.c ---- */

/* The module, with or without metadata; valid as long as the runtime object. */
int dotnet_module_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_module **module);

/* ---- dotnet_image.c ---- */

/* 0, -ENOENT (its code is not in a form that is known) or another negative errno. */
int dotnet_image_get(struct dotnet_runtime *rt, u64 addr, u64 module, struct r2r **r2r);

/* ---- dotnet_restored.c ---- */

/* The MethodDesc of an entry point in @module's image; -ENOENT: it was not restored. */
int dotnet_restored_find(struct dotnet_runtime *rt, u64 module, u64 entry, u64 *method_desc);

/* ---- dotnet_type.c ---- */

#define DOTNET_TYPE_MODULE 0x18 /* MethodTable: its Module */
#define DOTNET_MAX_ARGUMENTS 32

/* What a generic type or method was made with, in order: "int", "List<string>". */
struct dotnet_arguments {
	u32 n;
	char text[DOTNET_MAX_ARGUMENTS][128];
};

/* Row of TypeDef, 0: not known. */
u32 dotnet_type_row(struct dotnet_runtime *rt, u64 type);

/* None where it is not generic; -ENOENT: one of them can't be named. */
int dotnet_type_arguments(struct dotnet_runtime *rt, u64 type, struct dotnet_arguments *out);
int dotnet_method_arguments(struct dotnet_runtime *rt, const struct dotnet_method *m,
			    struct dotnet_arguments *out);

/* One of a generic type's arguments itself; -ENOENT: it has fewer. */
int dotnet_type_argument(struct dotnet_runtime *rt, u64 type, u32 idx, u64 *argument);

/* Is it a struct, which is kept where it is used? */
int dotnet_type_is_value(struct dotnet_runtime *rt, u64 type, bool *is_value);

/*
 * The same of an instantiation in an image; -EINVAL: @row's type is not the one that it
 * says.
 */
int dotnet_instance_arguments(const struct metadata *m, const struct r2r_instance *i,
			      struct dotnet_arguments *of_type, struct dotnet_arguments *of_method);

/* ---- dotnet_field.c ---- */

/* A MethodTable, and its row of TypeDef. */
struct dotnet_type {
	u64 addr, parent; /* 0: it has none */
	u32 row;
	struct dotnet_module *module; /* with metadata; valid as long as the runtime object */
	char name[DOTNET_NAME_LEN]; /* as in metadata */
};

/* The MethodTable of a row of TypeDef; -ENOENT: it is generic, was not loaded, or is not known. */
int dotnet_type_find(struct dotnet_runtime *rt, const struct dotnet_module *module, u32 row,
		     u64 *addr);

/* 0, -ENOENT (its metadata is not known), -EINVAL or what reading gave. */
int dotnet_type_get(struct dotnet_runtime *rt, u64 addr, struct dotnet_type *type);

/* The row of Field of one of a type's own fields; -ENOENT: there is none of that name. */
int dotnet_field_row(const struct metadata *m, u32 type_row, const char *name, u32 *row);

/* Its offset, in an object from behind the MethodTable; -ENOENT: there is none. */
int dotnet_field_off(struct dotnet_runtime *rt, const struct dotnet_type *type, const char *name,
		     u32 *off);
