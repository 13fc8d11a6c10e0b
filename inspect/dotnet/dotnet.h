/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * CoreCLR from outside: which runtime a binary holds, where the code at an address
 * begins, what it is called.
 *
 *	struct dotnet_build      one binary (libcoreclr.so or a single-file program); shared
 *	struct dotnet_runtime    the runtime in one process (or core, or image)
 */

#include "../../core/dotnet/dotnet_info.h"
#include "../elf/elf_file.h"
#include "../target/map_list.h"
#include "../target/target.h"

struct dotnet_build;

/**
 * dotnet_build_new() - recognise CoreCLR in an ELF file by its symbols and version
 * @b:		the new build, free with dotnet_build_free(); keeps nothing of @f
 * @f:		libcoreclr.so or an executable; its name plays no part
 *
 * Return: 0, -ENOENT (there is no CoreCLR in it), -ENOTSUP (a runtime that can't be read:
 * @b is set, dotnet_build_why() says why), or another negative errno.
 */
int dotnet_build_new(struct dotnet_build **b, struct elf_file *f);
void dotnet_build_free(struct dotnet_build **b);
const char *dotnet_build_why(const struct dotnet_build *b);
const char *dotnet_build_runtime(const struct dotnet_build *b); /* ".NET 10.0.14" */

/**
 * dotnet_build_find_gc() - find the functions that collect garbage, for dotnet_build_is_gc()
 * @f:		the file that @b was made of
 *
 * Searches all of its code. Return: 0, -ENOENT (they are not as expected), -ENOTSUP (x86-64
 * only) or another negative errno.
 */
int dotnet_build_find_gc(struct dotnet_build *b, const struct elf_file *f);

/* Is a place in the file in one of them? What they call is garbage collection, too. */
bool dotnet_build_is_gc(const struct dotnet_build *b, u64 file_off);

/* Is this the file, from 7 on, whose mappings are CoreCLR's views of its code? @path: in maps */
bool dotnet_is_code_file(const char *path);

struct dotnet_runtime;

/**
 * dotnet_runtime_new() - the runtime of one process
 * @rt:		the new object, free with dotnet_runtime_free()
 * @b:		its build; must outlive @rt
 * @t:		the process's memory; must outlive @rt
 * @bias:	address of the binary in the process minus its link-time address
 *
 * Return: 0, -ENOTSUP (@b can't be read) or -ENOMEM.
 */
int dotnet_runtime_new(struct dotnet_runtime **rt, const struct dotnet_build *b, struct target *t,
		       u64 bias);
void dotnet_runtime_free(struct dotnet_runtime **rt);

/* A range of code, as a walk has to know it (core/dotnet/dotnet_info.h). */
struct dotnet_range {
	enum { DOTNET_RANGE_JIT, DOTNET_RANGE_R2R, DOTNET_RANGE_STUBS } kind;
	u64 start_addr, end_addr; /* of R2R the whole image's */
	u64 nibbles_addr; /* of JIT: the nibble map, which counts from start_addr */
	u32 info_idx; /* of JIT: enum dotnet_nibbles; of stubs: their kind */
};

/**
 * dotnet_ranges_get() - all ranges that the runtime knows of now
 * @v:		sorted by address, not overlapping; to be freed with free()
 * @n:		how many
 *
 * A range that can't be read is left out.
 *
 * Return: 0, -ENOMEM or what reading the index of ranges gave.
 */
int dotnet_ranges_get(struct dotnet_runtime *rt, struct dotnet_range **v, u32 *n);

/**
 * dotnet_ranges_overlay() - lay ranges over the mappings of the process
 * @v, @n:	as dotnet_ranges_get() gave them
 * @l:		sorted by address; replaced by the result on success
 *
 * Return: 0 or -ENOMEM.
 */
int dotnet_ranges_overlay(const struct dotnet_range *v, u32 n, struct map_list *l);

enum dotnet_kind {
	DOTNET_METHOD, /* compiled while the process runs */
	DOTNET_R2R, /* compiled ahead of time */
	DOTNET_STUB, /* the runtime's own glue */
};

/* What is executed at an address. */
struct dotnet_code {
	enum dotnet_kind kind;
	/* Of the method with its funclets; of a stub those of the range or block. end 0: not known.
	 */
	u64 start_addr, end_addr;
	u64 header_addr; /* RealCodeHeader, 0: it has none */
	u64 method_desc; /* 0: not known, as of R2R, but of composite images */
	u32 stub_kind; /* as the runtime numbers them, of DOTNET_STUB */
	u64 image_addr; /* of DOTNET_R2R */
	u64 module; /* of DOTNET_R2R: the runtime's Module */
};

/**
 * dotnet_code_find() - the code at an address
 * @pc:		address in the process (of a return address: minus one)
 *
 * Always reads the target, so code that was freed or replaced is not found any more.
 *
 * Return: 0, -ENOENT (no managed code is there), -EINVAL (what was read can't be),
 * -EFAULT or -ESRCH.
 */
int dotnet_code_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_code *code);

/* A function: a method's body, or one of its funclets. */
struct dotnet_function {
	u64 start_addr, end_addr;
	u64 unwind_addr; /* of its UNWIND_INFO (unwind_info.h) */
};

/**
 * dotnet_function_find() - the function of a method that an address lies in
 * @code:	as dotnet_code_find() gave it for @pc
 *
 * x86-64 only. Return: 0, -ENOENT (a stub, or between two functions), -EINVAL, -EFAULT or
 * -ESRCH.
 */
int dotnet_function_find(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
			 struct dotnet_function *f);

/* How much the code was worked on; DOTNET_TIER_OPTIMIZED: at once, not in tiers. */
enum dotnet_tier {
	DOTNET_TIER_UNKNOWN,
	DOTNET_TIER_0,
	DOTNET_TIER_1,
	DOTNET_TIER_OSR, /* begins in the middle of a method that was running */
	DOTNET_TIER_OPTIMIZED,
	DOTNET_TIER_R2R,
	DOTNET_TIER_DYNAMIC,
};

/**
 * dotnet_tier_get() - the tier of a piece of code
 * @code:	as dotnet_code_find() gave it
 *
 * Return: DOTNET_TIER_UNKNOWN where the runtime does not say it, as .NET 6 and 7 never do.
 */
enum dotnet_tier dotnet_tier_get(struct dotnet_runtime *rt, const struct dotnet_code *code);

/* "Tier0", "OSR", ...; NULL: unknown. */
const char *dotnet_tier_name(enum dotnet_tier tier);

/* "precode", "fixup precode", ...; NULL for a number without a name. */
const char *dotnet_stub_name(u32 stub_kind);

#define DOTNET_NAME_LEN 1024

/* What a method is called. */
struct dotnet_name {
	char name[DOTNET_NAME_LEN]; /* UTF-8, readable: "Demo.Outer<string>.Inner.Work(long)" */
	char type[DOTNET_NAME_LEN]; /* as in metadata: "Demo.Outer`1+Inner"; "" has none */
	char method[DOTNET_NAME_LEN]; /* as in metadata: "Work" */
	char module[256]; /* simple name of its assembly, "" has none */
	u32 token; /* of the method in the assembly, 0: it has none */
	bool is_dynamic; /* made by the program or the runtime while it runs; no metadata */
	bool is_cut; /* the name is longer than there is room */
	const char *reason; /* why @name is empty or lacks its arguments, else NULL */
};

/**
 * dotnet_name_get() - name the method of a piece of code
 * @code:	as dotnet_code_find() gave it
 * @name:	filled on success
 *
 * Everything is checked on the way (the method's table, its module, that the module's
 * metadata tells the very name that the runtime keeps): a name is right or missing.
 *
 * Return: 0, -ENOENT (it has no name; @name->reason says why) or another negative errno.
 */
int dotnet_name_get(struct dotnet_runtime *rt, const struct dotnet_code *code,
		    struct dotnet_name *name);

/**
 * dotnet_runtime_set_files() - let PDBs be found that are files
 * @open_file:	opens the file @name that lies beside the one that is mapped at @addr;
 *		a descriptor, which is closed after use, or a negative errno; must not
 *		block on what is no regular file
 *
 * Without it lines come from embedded PDBs alone.
 */
void dotnet_runtime_set_files(struct dotnet_runtime *rt,
			      int (*open_file)(void *data, u64 addr, const char *name), void *data);

struct dotnet_line {
	char file[DOTNET_NAME_LEN]; /* as the PDB has it: a path where it was built */
	u32 line; /* 1-based */
	u32 start_line, start_column; /* of the method; 0: unknown */
	const char *reason; /* why there is none, or NULL */
};

/**
 * dotnet_line_get() - the line of a place in compiled code
 * @code:	as dotnet_code_find() gave it
 * @pc:		in it (of a return address: minus one)
 * @line:	filled on success, else with a reason
 *
 * Return: 0, -ENOENT (no line is known) or -ESRCH.
 */
int dotnet_line_get(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
		    struct dotnet_line *line);

/* A thread that runs managed code, or has. */
struct dotnet_thread {
	u32 tid; /* as the process's own pid namespace numbers it */
	u64 hijack_addr; /* for struct dotnet_await; core/dotnet/hijack.h says of what */
};

/* Each of them. 0, -ENOTSUP (not known of this version), -ELOOP or what reading gave. */
int dotnet_threads_each(struct dotnet_runtime *rt,
			void (*fn)(const struct dotnet_thread *thread, void *data), void *data);

/* What a method has to do with async methods that wait for one another. */
enum dotnet_await_role {
	DOTNET_AWAIT_NONE,
	DOTNET_AWAIT_MACHINE, /* it is the body of an async method */
	DOTNET_AWAIT_RESUMES, /* it calls the body of one, which nothing on the stack waits for */
};

/**
 * dotnet_await_method() - what a walk has to know of a method, to find those that await it
 * @code:	as dotnet_code_find() gave it
 * @name:	as dotnet_name_get() gave it for @code
 * @role:	always set
 * @e:		slot, off, from and flags are set on success
 *
 * Return: 0, -ENOENT (it is no body of an async method, or can't be followed) or another
 * negative errno.
 */
int dotnet_await_method(struct dotnet_runtime *rt, const struct dotnet_code *code,
			const struct dotnet_name *name, enum dotnet_await_role *role,
			struct dotnet_await *e);

/* An object that waits, by its type. */
struct dotnet_awaiter {
	u64 machine; /* MethodTable of an async method's state machine, 0: it is of none */
	s32 off; /* in an object of it, what waits for it; 0: nothing can be told of that */
	bool is_method; /* it stands for the method; else only for a step on the way to one */
	bool are_several; /* it is a list of several that wait */
};

/* What objects of a type (MethodTable) are. 0 or a negative errno. */
int dotnet_await_type(struct dotnet_runtime *rt, u64 type, struct dotnet_awaiter *a);

/* Is @code, of that name, the body of the method that a state machine (MethodTable) is of? */
bool dotnet_await_is(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     const struct dotnet_name *name, u64 machine);

/* Names the method that a state machine is of, as dotnet_name_get() does. */
int dotnet_await_name(struct dotnet_runtime *rt, u64 machine, struct dotnet_name *name);
