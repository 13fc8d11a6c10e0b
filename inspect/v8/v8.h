/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Inspects V8 in another process: detects the build, and names V8's frames.
 *
 *	struct v8_build one binary: layout, builtins; processes share it
 *	struct v8_heap     one live process (or core, or image): names frames
 */

#include "../../core/uw_frame.h"
#include "../../core/v8/v8_info.h"
#include "../elf/elf_file.h"
#include "../target/target.h"

struct v8_build;

/**
 * v8_build_new() - recognise V8 in an ELF file by its symbols, and read the layout
 * @b:		the new build, free with v8_build_free(); it does not refer to @f
 * @f:		the executable or libnode.so
 *
 * Return: 0, -ENOENT (no V8 in the file), -ENOTSUP (this V8 is not supported: @b is set, struct
 * v8_facts has the reason, and frames have no names), or another negative errno.
 */
int v8_build_new(struct v8_build **b, struct elf_file *f);
void v8_build_free(struct v8_build **b);

/* Facts about a build. The build owns the strings. */
struct v8_facts {
	const char *runtime; /* "Node.js 24.21.0"; the same as @v8 if it is not Node.js */
	const char *v8; /* "V8 13.6.233.17" */
	const char *why; /* the reason why the build is not supported, or NULL */
	const char *doubt; /* "V8 15.2 is not known, and treated as 14.6"; NULL: V8 is known */
	const char *async_why; /* the reason why awaiters (UW_FRAME_ASYNC) are not found, or NULL */
	const struct v8_info *info;
	u64 blob_off, blob_len; /* embedded builtins in the file; length 0: not found */
};

struct v8_facts v8_build_facts(const struct v8_build *b);

/**
 * v8_build_builtin_name() - name a builtin of a build whose heap is not supported
 * @file_off:	file offset of the builtin's code
 *
 * Return: the name, owned by the build; or NULL if no builtin is at @file_off, the builtin has no
 * symbol, or the builtin belongs to the interpreter, whose frames are those of functions.
 */
const char *v8_build_builtin_name(const struct v8_build *b, u64 file_off);

struct v8_heap;

/* An executable mapping of V8 in the process. */
struct v8_region {
	u64 start_addr, end_addr;
	u64 file_off;
	bool is_jit; /* anonymous memory; false: the builtins, mapped from the file */
};

int v8_heap_new(struct v8_heap **h, const struct v8_build *b, struct target *t);
void v8_heap_free(struct v8_heap **h);

/*
 * Sets the regions, which are copied and must be sorted by address. Drops caches that depend on the
 * regions.
 */
int v8_heap_set_regions(struct v8_heap *h, const struct v8_region *r, size_t n);

/* The result of one resolver (v8_location.c) for a pc of compiled code. */
struct v8_asked {
	const char *resolver;
	const char *verdict; /* `declines`, `moves`, `answers`, `gives up` */
	const char *reason; /* the reason if the resolver `declines` or `gives up`, or NULL */
	u64 pc; /* the pc that is passed to the next resolver */
};

/*
 * After this call, v8_heap_name() calls @on_resolver with each answer of a resolver, and does not
 * use cached names.
 */
void v8_heap_explain(struct v8_heap *h,
		     void (*on_resolver)(void *ctx, const struct v8_asked *asked), void *ctx);

/**
 * v8_heap_forget() - drop all cached names
 *
 * Call this when an isolate of the process has ended: the next isolate has similar objects at the
 * same addresses, so cached names would be mistaken for the names of the new objects.
 */
void v8_heap_forget(struct v8_heap *h);

enum v8_tier {
	V8_TIER_NONE,
	V8_TIER_INTERPRETED,
	V8_TIER_BASELINE,
	V8_TIER_MAGLEV,
	V8_TIER_TURBOFAN,
	V8_N_TIERS
};

/* Returns the name of a tier in profiles and cases, e.g. "interpreted", or NULL. */
const char *v8_tier_name(enum v8_tier tier);

/* The name of a frame. The heap owns the strings, until the next call of v8_heap_name(). */
struct v8_name {
	enum { V8_NAME_JS, V8_NAME_BUILTIN, V8_NAME_STUB, V8_NAME_REGEXP, V8_NAME_WASM } kind;
	const char *name; /* UTF-8, e.g. "(anonymous)"; NULL if there is a reason */
	const char *file; /* script name, UTF-8, or NULL */
	u32 line, column; /* 1-based, 0: unknown */
	u32 start_line, start_column; /* start of the function's parameters; 0: unknown */
	enum v8_tier tier;
	bool inlined;
	const char *reason; /* the reason why the name or line is missing, or NULL */
	struct v8_script *script; /* the function's script, for v8_name_map_hash(); NULL: none */
	s32 start; /* offset of the parameters in the script's text; negative: unknown */
};

#define V8_MAX_NAMES 128

/* Do the heap's contents contradict the layout that is assumed for the version? */
bool v8_heap_is_misread(const struct v8_heap *h);

/**
 * v8_heap_name() - name a frame of a walk
 * @h:		heap
 * @s:		the sample; frame n_kernel is the interrupted one
 * @i:		index of a UW_V8_* frame in @s
 * @names:	V8_MAX_NAMES entries; inlined functions come first (leaf first), and
 *		a frameless builtin comes before the function that called it
 *
 * Checks objects against the sample, so that an object that has moved yields a reason, and never a
 * wrong name. A name that was read at some time is valid for all samples from before that time
 * (time_ns). So name samples in batches, but soon, because an object that has moved since the
 * sample has no name. Caches at most about 12 MiB.
 *
 * Return: number of names (>= 1), or -ESRCH if the target has ended.
 */
int v8_heap_name(struct v8_heap *h, const struct uw_sample *s, u32 i, struct v8_name *names);

/*
 * The functions below read the text of a named frame's script. A name can be passed to them until
 * the next call of v8_heap_name().
 */

/*
 * Gets the offset of each line of the script's text, and the length of the text, both in UTF-16
 * units. Returns the number of lines; 0: unknown.
 */
u32 v8_name_lines(const struct v8_name *name, const u32 **starts, u32 *len);

/*
 * Returns a hash of the URL of the source map that the script refers to, or 0 if there is no such
 * URL.
 */
u64 v8_name_map_hash(const struct v8_name *name);

/*
 * Gets the URL of the script's source map, which the caller frees. Returns 0, -ENOENT, -ENOMEM, or
 * a temporary error.
 */
int v8_name_map_url(struct v8_heap *h, const struct v8_name *name, char **url);

/*
 * Copies up to @len characters that precede the function's start; a character that is not ASCII
 * becomes 0x80. Returns their number, or a negative errno.
 */
int v8_name_text_before(struct v8_heap *h, const struct v8_name *name, char *text, size_t len);
