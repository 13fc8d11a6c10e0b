/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A pack is a file of walks, each with its complete input and with the frames
 * and reads of the native engine. pack.c writes packs, cases.c replays them in
 * a guest:
 *
 *	pack_head | chunk | chunk ... | walk | walk ...
 *
 *	walk	pack_walk, the blobs of enum pack_blob, then for each region its
 *		address, flags of its pages, bytes: u64 blob blob
 *	blob	length, then the numbers of its chunks: u64 u32 ...
 *
 * Of the target's memory, a pack has only the pages that the walks read. Most
 * pages are the same in several walks; such a page is stored once, as one
 * chunk. Both architectures have the same layout and byte order.
 */

#include "../../core/uw_state.h"

#define PACK_MAGIC 0x316b636170777530ull
#define PACK_CHUNK_LEN 4096

struct pack_head {
	u64 magic;
	u32 n_chunks, n_walks;
};

struct pack_walk {
	char name[112];
	u32 is_arm64, n_regions;
	struct uw_regs regs;
	u64 extent, va_mask;
};
_Static_assert(sizeof(struct pack_walk) == 216, "wire");

enum pack_blob {
	PACK_MAPPINGS,
	PACK_V8_BUILDS,
	PACK_ROW_PAGES,
	PACK_ROWS,
	PACK_RULES,
	PACK_SAMPLE, /* the sample, without unused frames */
	PACK_READS,
	PACK_N_BLOBS
};
