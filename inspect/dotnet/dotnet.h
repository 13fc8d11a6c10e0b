/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads CoreCLR in another process: the version of the runtime's binary, the start of the
 * code at an address, and the name of that code.
 *
 *	struct dotnet_build	one binary (libcoreclr.so or a single-file program), which
 *				processes share
 *	struct dotnet_runtime	the runtime in one process (or core, or image)
 */

#include "../../core/dotnet/dotnet_info.h"
#include "../elf/elf_file.h"
#include "../target/map_list.h"
#include "../target/target.h"

struct dotnet_build;

/**
 * dotnet_build_new() - recognize CoreCLR in an ELF file by its symbols and version
 * @b:		the new build, free with dotnet_build_free(); it does not refer to @f
 * @f:		libcoreclr.so or an executable; its file name is ignored
 *
 * Return: 0, -ENOENT (not CoreCLR), -ENOTSUP (an unsupported runtime: @b is set, and
 * dotnet_build_why() returns the reason), or another negative errno.
 */
int dotnet_build_new(struct dotnet_build **b, struct elf_file *f);
void dotnet_build_free(struct dotnet_build **b);
const char *dotnet_build_why(const struct dotnet_build *b);
const char *dotnet_build_runtime(const struct dotnet_build *b); /* ".NET 10.0.14" */

/**
 * dotnet_build_find_gc() - find the functions that collect garbage, for dotnet_build_is_gc()
 * @f:		the file that @b was made from
 *
 * Takes long, because it searches all code of the file. Return: 0, -ENOENT (not found as
 * expected), -ENOTSUP (not x86-64) or another negative errno.
 */
int dotnet_build_find_gc(struct dotnet_build *b, const struct elf_file *f);

/*
 * Returns whether a file offset is in a function that collects garbage. All functions that such a
 * function calls also collect garbage.
 */
bool dotnet_build_is_gc(const struct dotnet_build *b, u64 file_off);

/*
 * Returns whether a path in /proc/PID/maps is the file through which CoreCLR maps code (since .NET
 * 7).
 */
bool dotnet_is_code_file(const char *path);

struct dotnet_runtime;

/**
 * dotnet_runtime_new() - open the runtime of one process
 * @rt:		the new object, free with dotnet_runtime_free()
 * @b:		build of the runtime; must outlive @rt
 * @t:		the process's memory; must outlive @rt
 * @bias:	address of the binary in the process, minus the binary's link-time address
 *
 * Return: 0, -ENOTSUP (@b is unsupported) or -ENOMEM.
 */
int dotnet_runtime_new(struct dotnet_runtime **rt, const struct dotnet_build *b, struct target *t,
		       u64 bias);
void dotnet_runtime_free(struct dotnet_runtime **rt);

/* A range of code, with the data that the walk's tables need (core/dotnet/dotnet_info.h). */
struct dotnet_range {
	enum { DOTNET_RANGE_JIT, DOTNET_RANGE_R2R, DOTNET_RANGE_STUBS } kind;
	u64 start_addr, end_addr; /* R2R: bounds of the whole image */
	u64 nibbles_addr; /* JIT: address of the nibble map; bucket 0 is at start_addr */
	u32 info_idx; /* JIT: enum dotnet_nibbles; stubs: kind of the stubs */
};

/**
 * dotnet_ranges_get() - list all code ranges of the runtime
 * @v:		sorted by address, not overlapping; free with free()
 * @n:		number of ranges
 *
 * Unreadable ranges are omitted.
 *
 * Return: 0, -ENOMEM or the errno of reading the index of ranges.
 */
int dotnet_ranges_get(struct dotnet_runtime *rt, struct dotnet_range **v, u32 *n);

/**
 * dotnet_ranges_overlay() - insert code ranges into the list of a process's mappings
 * @v, @n:	from dotnet_ranges_get()
 * @l:		sorted by address; replaced by the result on success
 *
 * Return: 0 or -ENOMEM.
 */
int dotnet_ranges_overlay(const struct dotnet_range *v, u32 n, struct map_list *l);

enum dotnet_kind {
	DOTNET_METHOD, /* compiled while the process runs */
	DOTNET_R2R, /* compiled ahead of time */
	DOTNET_STUB, /* code that belongs to the runtime, not to a method */
};

/* The code at an address. */
struct dotnet_code {
	enum dotnet_kind kind;
	/*
	 * Bounds of the method and its funclets, or of the range or block of a stub. end_addr 0:
	 * unknown.
	 */
	u64 start_addr, end_addr;
	u64 header_addr; /* RealCodeHeader, or 0 if the code has none */
	u64 method_desc; /* 0 if unknown; for R2R code, it is known only in composite images */
	u32 stub_kind; /* DOTNET_STUB: the number that the runtime uses for the kind */
	u64 image_addr; /* DOTNET_R2R: address of the image */
	u64 module; /* DOTNET_R2R: the runtime's Module */
};

/**
 * dotnet_code_find() - find the code at an address
 * @pc:		address in the process; for a return address, pass that address minus one
 *
 * Caches nothing and reads the target each time, so it does not find freed or replaced code.
 *
 * Return: 0, -ENOENT (no managed code), -EINVAL (inconsistent data), -EFAULT or -ESRCH.
 */
int dotnet_code_find(struct dotnet_runtime *rt, u64 pc, struct dotnet_code *code);

/* A function: the body or a funclet of a method. */
struct dotnet_function {
	u64 start_addr, end_addr;
	u64 unwind_addr; /* address of the function's UNWIND_INFO (unwind_info.h) */
};

/**
 * dotnet_function_find() - find the function of a method that contains an address
 * @code:	from dotnet_code_find() for @pc
 *
 * x86-64 only. Return: 0, -ENOENT (@pc is in a stub, or between two functions), -EINVAL, -EFAULT or
 * -ESRCH.
 */
int dotnet_function_find(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
			 struct dotnet_function *f);

/*
 * The tier of code. DOTNET_TIER_OPTIMIZED means that the runtime compiled the method once, with
 * optimization, and not in tiers.
 */
enum dotnet_tier {
	DOTNET_TIER_UNKNOWN,
	DOTNET_TIER_0,
	DOTNET_TIER_1,
	DOTNET_TIER_OSR, /* on-stack replacement: code that a running method continues in */
	DOTNET_TIER_OPTIMIZED,
	DOTNET_TIER_R2R,
	DOTNET_TIER_DYNAMIC,
};

/**
 * dotnet_tier_get() - get the tier of code
 * @code:	from dotnet_code_find()
 *
 * Return: the tier; DOTNET_TIER_UNKNOWN if the runtime does not record it. .NET 6 and 7 record no
 *         tiers.
 */
enum dotnet_tier dotnet_tier_get(struct dotnet_runtime *rt, const struct dotnet_code *code);

/* Returns the name of a tier: "Tier0", "OSR", ...; or NULL if the tier is unknown. */
const char *dotnet_tier_name(enum dotnet_tier tier);

/*
 * Returns the name of a kind of stub: "precode", "fixup precode", ...; NULL if the kind has none.
 */
const char *dotnet_stub_name(u32 stub_kind);

#define DOTNET_NAME_LEN 1024

/* The name of a method. */
struct dotnet_name {
	char name[DOTNET_NAME_LEN]; /* in UTF-8, e.g. "Demo.Outer<string>.Inner.Work(long)" */
	char type[DOTNET_NAME_LEN]; /* as in metadata, e.g. "Demo.Outer`1+Inner"; "": none */
	char method[DOTNET_NAME_LEN]; /* as in metadata, e.g. "Work" */
	char module[256]; /* simple name of the assembly; "": none */
	u32 token; /* metadata token of the method; 0: none */
	bool is_dynamic; /* made at run time by the program or the runtime, without metadata */
	bool is_cut; /* the name is truncated */
	const char *reason; /* the reason why @name is empty or lacks the arguments, or NULL */
};

/**
 * dotnet_name_get() - get the name of the method that code belongs to
 * @code:	from dotnet_code_find()
 * @name:	filled on success
 *
 * Checks the method's table and the method's module, and checks that metadata and runtime have the
 * same name; so a name is either right or missing.
 *
 * Return: 0, -ENOENT (no name; @name->reason has the reason) or another negative errno.
 */
int dotnet_name_get(struct dotnet_runtime *rt, const struct dotnet_code *code,
		    struct dotnet_name *name);

/**
 * dotnet_runtime_set_files() - enable lookup of PDB files
 * @open_file:	opens the file @name in the directory of the file that is mapped at @addr;
 *		returns a descriptor, which is closed after use, or a negative errno; must
 *		not block on special files
 *
 * Without @open_file, dotnet_line_get() uses only embedded PDBs.
 */
void dotnet_runtime_set_files(struct dotnet_runtime *rt,
			      int (*open_file)(void *data, u64 addr, const char *name), void *data);

struct dotnet_line {
	char file[DOTNET_NAME_LEN]; /* a path on the build machine, as in the PDB */
	u32 line; /* 1-based */
	u32 start_line, start_column; /* where the method starts; 0: unknown */
	const char *reason; /* the reason why there is no line, or NULL */
};

/**
 * dotnet_line_get() - find the line of an address in compiled code
 * @code:	from dotnet_code_find()
 * @pc:		address in @code; for a return address, pass that address minus one
 * @line:	the line on success, else the reason why there is no line
 *
 * Return: 0, -ENOENT (no line is known) or -ESRCH (the process has ended).
 */
int dotnet_line_get(struct dotnet_runtime *rt, const struct dotnet_code *code, u64 pc,
		    struct dotnet_line *line);

/* A thread that has run managed code. */
struct dotnet_thread {
	u32 tid; /* thread id in the process's own PID namespace */
	u64 hijack_addr; /* value of dotnet_await.hijack_addr; see core/dotnet/hijack.h */
};

/*
 * Visits each thread. Returns 0, -ENOTSUP (the offsets are unknown), -ELOOP (an endless list) or
 * the errno of reading.
 */
int dotnet_threads_each(struct dotnet_runtime *rt,
			void (*fn)(const struct dotnet_thread *thread, void *data), void *data);

/* The role of a method in chains of async methods. */
enum dotnet_await_role {
	DOTNET_AWAIT_NONE,
	DOTNET_AWAIT_MACHINE, /* the body of an async method */
	DOTNET_AWAIT_RESUMES, /* a method of the runtime that resumes async methods */
};

/**
 * dotnet_await_method() - get what a walk needs to find the awaiters of a method
 * @code:	from dotnet_code_find()
 * @name:	from dotnet_name_get() for @code
 * @role:	always set
 * @e:		slot, off, from and flags are set on success
 *
 * Return: 0, -ENOENT (not the body of an async method, or the awaiters cannot be followed) or
 * another negative errno.
 */
int dotnet_await_method(struct dotnet_runtime *rt, const struct dotnet_code *code,
			const struct dotnet_name *name, enum dotnet_await_role *role,
			struct dotnet_await *e);

/* An awaiter, described by the type of its object. */
struct dotnet_awaiter {
	u64 machine; /* MethodTable of the async method's state machine; 0: none */
	s32 off; /* offset of the pointer to the object's own awaiter; 0: unknown */
	bool is_method; /* the awaiter is an async method; false: an object that leads to one */
	bool are_several; /* the object is a list of several awaiters */
};

/* Describes the objects of a type (MethodTable). Returns 0 or a negative errno. */
int dotnet_await_type(struct dotnet_runtime *rt, u64 type, struct dotnet_awaiter *a);

/*
 * Returns whether @code, named @name, is the method that a state machine (MethodTable) belongs to.
 */
bool dotnet_await_is(struct dotnet_runtime *rt, const struct dotnet_code *code,
		     const struct dotnet_name *name, u64 machine);

/* Names the method that a state machine belongs to, as dotnet_name_get() does. */
int dotnet_await_name(struct dotnet_runtime *rt, u64 machine, struct dotnet_name *name);
