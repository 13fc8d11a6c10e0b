/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A V8 heap in another process. Private to inspect/v8.
 *
 *	v8_object.c     words and types of objects
 *	v8_string.c     strings
 *	v8_scope.c      names in a ScopeInfo
 *	v8_script.c     a script's name and lines
 *	v8_function.c   what a SharedFunctionInfo is called, cached
 *	v8_code.c       from a pc to its Code, and the functions inlined there
 *	v8_positions.c  the tables that map code to source
 *	v8_translation.c  the tables that map code to the frames of the interpreter
 *	v8_deopt.c      functions and lines by those
 *	v8_exit.c       what led out of optimized code
 *	v8_probe.c      whether the layout fits
 *	v8_site.c       names that were found before
 *	v8_wasm.c       WebAssembly's functions
 *	v8_wasm_inlined.c  which of them are at a place
 *	v8_interpreted.c  functions in the interpreter
 *	v8_handler.c    where a bytecode handler has its bytecode's offset
 *	v8_heap.c       its beginning and end
 *	v8_name.c       frames
 *
 * A tagged pointer is an address + 1. A small integer (SMI) has its low half zero
 * and its value in the high half. Everything read is checked by instance type
 * before it is believed, on every hop: the garbage collector may have moved what
 * a pointer once pointed at.
 */

#include "v8_arena.h"
#include "v8_build.h"

#define V8_MAP_CACHE 64
#define V8_BUCKETS 2048
#define V8_MAX_NAME 1024
#define V8_STREAM_MAPS 8 /* one an isolate, or one for all */

/* A JavaScript source. Lives as long as the cache. */
struct v8_script {
	struct v8_script *next;
	u64 tagged;
	u64 key[3]; /* name, source, id: it is still this script */
	const char *file; /* UTF-8 or NULL */
	const char *origin; /* of code of eval, instead of a file; or NULL */
	bool is_origin_known;
	s32 line_offset, column_offset;
	u32 *line_starts; /* in UTF-16 units; NULL: not read yet */
	u32 n_lines, source_len;
	u32 n_attempts; /* to read the lines */
	u64 retry_ns; /* not before */
	const char *lines_missing; /* why, or NULL */
};

/* A function's name. Lives as long as the cache. */
struct v8_function {
	struct v8_function *next, *next_by_bytecode;
	u64 tagged; /* SharedFunctionInfo */
	u64 key[4]; /* map, name or scope info, script, counts */
	u64 valid_ns; /* it was this function up to then */
	const char *name; /* NULL: a builtin without a name */
	struct v8_script *script; /* NULL: a builtin */
	bool is_wasm_export; /* its frame is of code that calls WebAssembly */
	u64 bytecode; /* last seen, 0: never; only a hint */
	u64 generation; /* new when another function took the address */
	u64 lines_generation; /* when lines_vote was asked */
	s8 names_vote, lines_vote; /* v8_probe.c */
};

struct v8_place;
struct v8_site;

/* What a layout is good for, and how many functions are for it and against it. */
enum v8_aspect { V8_NAMES, V8_LINES, V8_CODE, V8_N_ASPECTS };

struct v8_votes {
	u32 fit, misfit;
};

#define V8_WASM_SITES 512
#define V8_WASM_INLINED 16 /* V8's InliningTree::kMaxInliningNestingDepth is 7 */

/* A place in WebAssembly's code, and the functions that were found there, leaf first. */
struct v8_wasm_site {
	u64 pc, valid_ns;
	struct v8_wasm_module *module;
	const char *why; /* not all are known, or NULL */
	u32 functions[V8_WASM_INLINED];
	int n;
};

struct v8_heap {
	const struct v8_build *build;
	const struct v8_layout *l;
	struct target *target;
	u64 looked_ns; /* all that is read of it was there then, or later */
	bool gone;
	u32 n_failed; /* reads that failed so far */
	u32 origin_depth; /* of scripts whose origin is being looked for */
	bool misses_origins; /* as reads failed; for now */
	struct v8_region *regions;
	size_t n_regions;
	struct {
		u64 map;
		u16 type;
	} maps[V8_MAP_CACHE];
	u64 generation; /* counts functions that were read */
	struct v8_votes votes[V8_N_ASPECTS];
	size_t searched; /* characters of sources, for names */
	u64 stream_maps[V8_STREAM_MAPS]; /* maps of headers of machine code, the last found */
	u32 n_stream_maps;
	struct v8_arena arena;
	struct v8_function *functions[V8_BUCKETS], *by_bytecode[V8_BUCKETS];
	struct v8_script *scripts[V8_BUCKETS];
	struct v8_site *sites[V8_BUCKETS];
	struct v8_place **places; /* by builtin: of a handler's bytes; NULL: not read yet */
	size_t places_len; /* of all that was read for them */
	struct v8_wasm_module *wasm_modules;
	u32 n_wasm_modules;
	u32 wasm_map_idx; /* of the root of the map of code regions, once seen */
	struct v8_wasm_site wasm_sites[V8_WASM_SITES];
	char wasm_names[V8_WASM_INLINED][V8_MAX_NAME];
};

/* ---- v8_object.c ---- */

static inline bool v8_is_tagged(u64 word)
{
	return (word & 3) == 1;
}

static inline bool v8_is_smi(u64 word)
{
	return (u32)word == 0;
}

static inline s32 v8_smi(u64 word)
{
	return (s32)(word >> 32);
}

u32 v8_hash(u64 a, u64 b);

/* What is read from now on is as it is now, or later. */
void v8_look(struct v8_heap *h);

/* Reads of the target; 0 or a negative errno, notes when the target is gone. */
int v8_read(struct v8_heap *h, u64 addr, void *dst, size_t len);
int v8_word(struct v8_heap *h, u64 tagged, u32 off, u64 *word);

/* Instance type that a map gives, or a negative errno. */
int v8_map_type(struct v8_heap *h, u64 map);

/* Instance type of an object, or a negative errno: not a heap pointer, or unreadable. */
int v8_type(struct v8_heap *h, u64 tagged);
bool v8_is_type(struct v8_heap *h, u64 tagged, u16 type);

/* Length and first address of the bytes or words of an array-like object. */
int v8_byte_array(struct v8_heap *h, u64 tagged, u64 *data_addr, u32 *len);
int v8_array_word(struct v8_heap *h, u64 tagged, u32 idx, u64 *word);
/* All words of an array; *words to be freed. */
int v8_array_words(struct v8_heap *h, u64 tagged, u64 **words, u32 *n);

/* ---- v8_string.c ---- */

struct v8_chars {
	const void *chars; /* u8 Latin-1 or u16 UTF-16, host order */
	size_t n;
	bool two_byte;
};

/**
 * v8_string_visit() - the characters of a string, piece by piece
 * @max:	most characters to visit
 * @holds:	what the reads are for, as struct target tells it
 * @fn:		a non-zero return ends the visit
 *
 * Return: what @fn returned last, or 0, -EINVAL (not a string), -E2BIG (deeper or
 * more scattered than any honest string), -EFAULT or -ESRCH.
 */
int v8_string_visit(struct v8_heap *h, u64 tagged, size_t max, enum target_holds holds,
		    int (*fn)(const struct v8_chars *c, void *data), void *data);

/* As UTF-8 with U+FFFD for what is none; ends in "..." (U+2026) if cut. */
int v8_string_utf8(struct v8_heap *h, u64 tagged, char *dst, size_t len);
bool v8_is_string(struct v8_heap *h, u64 tagged);

/* ---- v8_scope.c ---- */

/* Where the function's name is in a ScopeInfo. */
int v8_scope_name_off(struct v8_heap *h, u64 scope_info, u32 *off);

/* The function's name and inferred name in a ScopeInfo; tagged, 0 where there is none. */
int v8_scope_names(struct v8_heap *h, u64 scope_info, u64 *name, u64 *inferred);

/**
 * v8_scope_given_name() - what V8 calls a function that stands in no source
 * @name:	"<static_initializer>", "<instance_members_initializer>"; NULL: none of them
 *
 * Its own name is empty from V8 11.8 on, and the inferred one is the class's.
 *
 * Return: 0, or what reading gave.
 */
int v8_scope_given_name(struct v8_heap *h, u64 scope_info, const char **name);

/* ---- v8_script.c ---- */

/* NULL: not a script, or unreadable. */
struct v8_script *v8_script_get(struct v8_heap *h, u64 tagged);

/* Is it still this script, with these strings? */
bool v8_script_is_same(struct v8_heap *h, const struct v8_script *s);

/* Line and column (0: before the first) of an offset in the source; else *reason says why not. */
bool v8_script_position(struct v8_heap *h, struct v8_script *s, s32 pos, u32 *line, u32 *column,
			const char **reason);

/* ---- v8_origin.c ---- */

/* Sets s->origin of code of eval, if it can be read. */
void v8_script_find_origin(struct v8_heap *h, struct v8_script *s);

/* ---- v8_function.c ---- */

u64 v8_now_ns(void);

/*
 * The function of a SharedFunctionInfo that was seen at @time_ns; NULL when there
 * is none at that address now.
 */
struct v8_function *v8_function_get(struct v8_heap *h, u64 sfi, u64 time_ns);

/* The function's own BytecodeArray, 0 if it has none now. Also remembers it as a hint. */
u64 v8_function_bytecode(struct v8_heap *h, struct v8_function *f);
struct v8_function *v8_function_by_bytecode(struct v8_heap *h, u64 bytecode, u64 time_ns);

/*
 * The function of @bytecode that is being called: one that was met before, else the one in the
 * sample's register. NULL when that has another BytecodeArray.
 */
struct v8_function *v8_function_called(struct v8_heap *h, const struct uw_sample *s, u64 bytecode);

/* ---- v8_code.c ---- */

struct v8_code {
	u64 tagged;
	u64 start_addr;
	u32 len;
	u32 flags;
	u64 deopt; /* deoptimization data; baseline: the BytecodeArray (or InterpreterData) */
	u64 positions; /* source positions; baseline: bytecode offset table */
	enum v8_tier tier; /* NONE: code that is no function's */
	u32 kind;
};

/* One function of an optimized frame. */
struct v8_inlined {
	u64 sfi;
	s32 pos; /* offset in its script, or -1 */
	bool is_bytecode; /* @pos is the offset of a bytecode, -1: the function's entry */
	bool is_anywhere; /* @pos means nothing */
	const char *why; /* it has no line, or NULL */
};

const struct v8_region *v8_region_at(const struct v8_heap *h, u64 pc);
/* Of a pc in V8's builtins: where in them; UINT64_MAX: it is not in its file. */
u64 v8_blob_offset(const struct v8_heap *h, u64 pc);
int v8_code_find(struct v8_heap *h, u64 pc, struct v8_code *code);

/* Is it of a regular expression? V8 11 and later mark the frame; of these it is not known. */
bool v8_code_is_regexp(const struct v8_heap *h, const struct v8_code *code);
/*
 * V8 10 clears the deoptimization data of optimized code that it throws out, so whose it was
 * is not known any more; its positions are left. Is it such code?
 */
bool v8_code_is_cleared(struct v8_heap *h, const struct v8_code *code);
/* Script offset at a pc of such code, if it is one of the function of @bytecode; else -1. */
s32 v8_code_cleared_position(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u64 pc);
/* Read again: is it still the same? */
bool v8_code_same(struct v8_heap *h, const struct v8_code *code);

/**
 * v8_code_resumed() - where code goes on after a call that is out of its line
 * @ra:		return address in @code
 *
 * Such code, after all else, has no positions of its own.
 *
 * Return: where the jump back leads that stands at @ra, or after what only fills registers
 *         (x86-64), or 0.
 */
u64 v8_code_resumed(struct v8_heap *h, const struct v8_code *code, u64 ra);
/* The same of a call of TurboFan's that allocates (x86-64); 0: it is not one. */
u64 v8_code_allocated(struct v8_heap *h, const struct v8_code *code, u64 ra);
/* Have two offsets in optimized code one entry of the position table, or neither any? */
bool v8_code_is_one_place(struct v8_heap *h, const struct v8_code *code, u32 a, u32 b);
/* A SharedFunctionInfo from a slot that holds it, a weak reference to it, or a wrapper; 0. */
u64 v8_unwrap_function(struct v8_heap *h, u64 word);
/* The function that optimized code was made for: tagged, or 0. */
u64 v8_code_function(struct v8_heap *h, const struct v8_code *code);
/* Is it the function's own copy of the interpreter's entry? */
bool v8_code_enters(struct v8_heap *h, const struct v8_code *code, const struct v8_function *f);
/* BytecodeArray from what holds one (itself, InterpreterData, baseline Code), or 0. */
u64 v8_bytecode_of(struct v8_heap *h, u64 tagged);
/* The same of baseline code that runs @f, 0 if it is not @f's. */
u64 v8_baseline_bytecode(struct v8_heap *h, const struct v8_code *code,
			 const struct v8_function *f);
/*
 * The function that @code was made for, NULL if that is not known. Baseline code of V8 9.0 to 9.4
 * does not tell it: then it is the one in the sample's register, if it is run by @code.
 */
struct v8_function *v8_function_of(struct v8_heap *h, const struct uw_sample *s,
				   const struct v8_code *code);
/* Script offset at a bytecode offset (-1: the function's entry), or -1. */
s32 v8_bytecode_position(struct v8_heap *h, u64 bytecode, s32 offset);

/* The bytecode that begins at @offset, or behind its prefix there; -1: none does. */
int v8_bytecode_at(struct v8_heap *h, u64 bytecode, s64 offset);
/* Where in a BytecodeArray the only bytecode @op is; -1: it is not the only one. */
s32 v8_bytecode_only(struct v8_heap *h, u64 bytecode, u8 op);
/* Bytecode offset at a pc of baseline code, -1 in its prologue, or -ENOENT. */
int v8_baseline_offset(struct v8_heap *h, const struct v8_code *code, u64 bytecode, u64 pc);
/*
 * Functions at a pc of optimized code, leaf first; how many, or a negative errno.
 * @out: V8_MAX_NAMES - 1 of them
 */
int v8_code_expand(struct v8_heap *h, const struct v8_code *code, u64 pc, struct v8_inlined *out);

/* All of a byte array; *bytes to be freed. */
int v8_read_bytes(struct v8_heap *h, u64 tagged, u8 **bytes, u32 *len);
int v8_bytecode_array_len(struct v8_heap *h, u64 bytecode, u32 *len);

#define V8_INLINING_ENTRY_LEN 16

/* ---- v8_deopt.c ---- */

extern const char v8_no_line[]; /* the reason where code has no positions */

/* Is all that is known of places in @code its deoptimization points? */
bool v8_has_no_positions(const struct v8_heap *h, const struct v8_code *code);

/* Have some calls in @code another's position? */
bool v8_has_wrong_positions(const struct v8_heap *h, const struct v8_code *code);

/* ... and it is not known what of it is out of line? */
bool v8_has_unknown_pieces(const struct v8_heap *h, const struct v8_code *code);

/*
 * As v8_code_expand(), by the deoptimization points: of a call, or of code without positions;
 * 0: the positions have to tell, at @pc, which is moved from code out of line to where it is for.
 */
int v8_deopt_expand(struct v8_heap *h, const struct v8_code *code, u64 *pc, struct v8_inlined *out);

/* Return address of the call that returns to the exit at @exit, both offsets in @code, or 0. */
u32 v8_deopt_call(struct v8_heap *h, const struct v8_code *code, u32 exit);

/* ---- v8_callers.c ---- */

/*
 * Puts right where @out[1..n-1] call, of which V8's positions are wrong in some code.
 * @ids: indices of the inlined calls of @out[0..n-2]
 */
void v8_deopt_callers(struct v8_heap *h, const struct v8_code *code, const s32 *ids,
		      struct v8_inlined *out, int n);

/* ---- v8_exit.c ---- */

extern const char v8_no_exit[]; /* the reason where an exit does not tell what led to it */

/*
 * Does an exit of @code return to @ra? @pc is set to what led to the exit, or 0; of code without
 * positions to the exit.
 */
bool v8_exit_left(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *pc);

/* Of code whose data are cleared: is there an exit at @pc or behind it? Where not known: true. */
bool v8_exit_may_be_at(struct v8_heap *h, const struct v8_code *code, u64 pc);

/*
 * Is @ra, the return address of a call, an exit of @code, which was given up meanwhile, or the
 * byte before it in one? Then, and if that can't be told, @pc is set to what led to the exit, or
 * 0; of code without positions to the exit.
 */
bool v8_exit_waits(struct v8_heap *h, const struct v8_code *code, u64 ra, u64 *pc);

/* x86-64: where a jump of four bytes' distance at @off of a text leads, or -1. */
s64 v8_jump_at(const u8 *text, u32 len, u32 off);

/* ---- v8_probe.c ---- */

/* Is more against the layout than for it? */
bool v8_probe_denies(const struct v8_heap *h, enum v8_aspect aspect);

/* Asks a function that was just read for its vote, if any is needed. */
void v8_probe_names(struct v8_heap *h, struct v8_function *f);

/* May names, lines and inlined functions be told? The latter two ask first. */
bool v8_probe_allows_name(const struct v8_heap *h, const struct v8_function *f);
bool v8_probe_lines(struct v8_heap *h, struct v8_function *f);
bool v8_probe_code(struct v8_heap *h, const struct v8_code *code);

/* ---- v8_site.c ---- */

enum v8_site_kind { V8_SITE_COMPILED, V8_SITE_INTERPRETED };

struct v8_site {
	struct v8_site *next;
	struct v8_function *function; /* NULL: found by pc alone */
	u64 generation;
	u64 where; /* pc, or bytecode offset and low half of the BytecodeArray */
	u64 valid_ns;
	struct v8_code code;
	enum v8_site_kind kind;
	int n;
	struct v8_name names[];
};

/* A site that held at @time_ns, or NULL. */
struct v8_site *v8_site_find(struct v8_heap *h, enum v8_site_kind kind, struct v8_function *f,
			     u64 where, u64 time_ns);
/* Keeps a copy of @like with these names. */
void v8_site_add(struct v8_heap *h, const struct v8_site *like, const struct v8_name *names, int n);
int v8_site_give(const struct v8_site *site, struct v8_name *names);

/* ---- v8_wasm.c ---- */

/*
 * The WebAssembly functions at a pc, leaf first. How many; -ENOENT: there is none, -EINVAL:
 * there is code, and whose is not known, -ENOTSUP: nothing is known of this build's.
 */
int v8_wasm_name(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names);
/* The same of a frame that is WebAssembly's: at least one, with the reason if it is not known. */
int v8_wasm_name_frame(struct v8_heap *h, u64 pc, u64 time_ns, struct v8_name *names);
/* A frame of an exported function: it is the code that calls it. Gives one. */
int v8_wasm_name_export(struct v8_name *names);
void v8_wasm_forget(struct v8_heap *h);
