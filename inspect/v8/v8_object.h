/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Reads the heap of V8 in another process: memory, words and types of objects. Private to
 * inspect/v8.
 *
 * A tagged pointer is the object's address + 1. A small integer (SMI) has zero in its low half and
 * the value in its high half. The instance type of each object is checked before the object is
 * used, because the garbage collector may have moved it.
 */

#include "../util/arena.h"
#include "v8_build.h"

#define V8_MAP_CACHE 64
#define V8_BUCKETS 2048
#define V8_STREAM_MAPS 8 /* one for each isolate, or one for all */

/* Parts of a layout, each of which is checked separately (v8_probe.c). */
enum v8_aspect { V8_NAMES, V8_LINES, V8_CODE, V8_N_ASPECTS };

/* Does a function agree with a part of the layout? */
enum v8_vote { V8_VOTE_MISFIT = -1, V8_VOTE_NONE, V8_VOTE_FIT };

/* How many functions agree with a part of the layout, and how many contradict it. */
struct v8_votes {
	u32 fit, misfit;
};

struct v8_heap {
	const struct v8_build *build;
	const struct v8_layout *l;
	struct target *target;
	u64 looked_ns; /* all data read is from this time or later */
	bool gone;
	void (*on_resolver)(void *ctx, const struct v8_asked *asked); /* or NULL */
	void *resolver_ctx;
	u32 n_failed; /* number of reads that have failed */
	u32 origin_depth; /* nesting depth of scripts whose origin is being read */
	bool misses_origins; /* a read of an origin has failed */
	struct v8_region *regions;
	size_t n_regions;
	struct {
		u64 map;
		u16 type;
	} maps[V8_MAP_CACHE];
	u64 generation; /* number of functions that were read */
	struct v8_votes votes[V8_N_ASPECTS];
	size_t searched; /* number of characters of sources searched for names */
	u64 stream_maps[V8_STREAM_MAPS]; /* the last maps of code headers found */
	u32 n_stream_maps;
	struct arena arena;
	struct v8_function *functions[V8_BUCKETS], *by_bytecode[V8_BUCKETS];
	struct v8_script *scripts[V8_BUCKETS];
	struct v8_site *sites[V8_BUCKETS];
	struct v8_place **places; /* index: builtin, then offset in the builtin; NULL: not made */
	size_t places_len; /* total length of the handlers read */
	struct v8_wasm *wasm; /* NULL: no sample was in WebAssembly */
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

/* Drops cached pages, so that later reads return the memory's present contents. */
void v8_look(struct v8_heap *h);

/*
 * Reads memory of the target. Returns 0 or a negative errno; sets h->gone if the target has ended.
 */
int v8_read(struct v8_heap *h, u64 addr, void *dst, size_t len);
int v8_word(struct v8_heap *h, u64 tagged, u32 off, u64 *word);

/* Returns the instance type in a map, or a negative errno. */
int v8_map_type(struct v8_heap *h, u64 map);

/*
 * Returns the instance type of an object, or a negative errno if @tagged is not a heap pointer or
 * the object is unreadable.
 */
int v8_type(struct v8_heap *h, u64 tagged);
bool v8_is_type(struct v8_heap *h, u64 tagged, u16 type);

/* Gets the length and first address of the bytes or words of an array-like object. */
int v8_byte_array(struct v8_heap *h, u64 tagged, u64 *data_addr, u32 *len);
int v8_array_word(struct v8_heap *h, u64 tagged, u32 idx, u64 *word);
/* Reads all words of an array. The caller frees *words. */
int v8_array_words(struct v8_heap *h, u64 tagged, u64 **words, u32 *n);
/* Reads all of a byte array. The caller frees *bytes. */
int v8_read_bytes(struct v8_heap *h, u64 tagged, u8 **bytes, u32 *len);
