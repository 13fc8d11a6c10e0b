/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A V8 heap in another process: its memory, words and types of objects. Private to inspect/v8.
 *
 * A tagged pointer is an address + 1. A small integer (SMI) has its low half zero
 * and its value in the high half. Everything read is checked by instance type
 * before it is believed, on every hop: the garbage collector may have moved what
 * a pointer once pointed at.
 */

#include "../util/arena.h"
#include "v8_build.h"

#define V8_MAP_CACHE 64
#define V8_BUCKETS 2048
#define V8_STREAM_MAPS 8 /* one an isolate, or one for all */

/* Parts of a layout that are trusted apart, and how many functions are for one and against it. */
enum v8_aspect { V8_NAMES, V8_LINES, V8_CODE, V8_N_ASPECTS };

struct v8_votes {
	u32 fit, misfit;
};

struct v8_heap {
	const struct v8_build *build;
	const struct v8_layout *l;
	struct target *target;
	u64 looked_ns; /* all that is read of it was there then, or later */
	bool gone;
	void (*tell)(void *ctx, const struct v8_asked *asked); /* NULL: nobody listens */
	void *tell_ctx;
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
	struct arena arena;
	struct v8_function *functions[V8_BUCKETS], *by_bytecode[V8_BUCKETS];
	struct v8_script *scripts[V8_BUCKETS];
	struct v8_site *sites[V8_BUCKETS];
	struct v8_place **places; /* by builtin: of a handler's bytes; NULL: not read yet */
	size_t places_len; /* of all that was read for them */
	struct v8_wasm *wasm; /* NULL: none was met */
};

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
/* All of a byte array; *bytes to be freed. */
int v8_read_bytes(struct v8_heap *h, u64 tagged, u8 **bytes, u32 *len);
