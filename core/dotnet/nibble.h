/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Finds the first byte of a method from an address in a code heap, by the heap's nibble map. The
 * map has a nibble for each bucket of 32 bytes of code: 0 if no method starts in the bucket, else 1
 * + (offset of the start in the bucket) / 4.
 *
 *	word      0         1         2            a word's first bucket is its highest nibble
 *	bucket  01234567  89......  ........
 *	        20000000  00000000  00300000
 *	code    ^-- a method --------------^--  the next
 *
 * The last nonzero nibble at or before the address gives the start. Up to .NET 9, the search for
 * this nibble goes back over all words of a long method. In .NET 10, a word that lies entirely
 * inside a method points to the method's start and is marked by a low nibble of 9 to 12, so the
 * search reads at most the preceding word.
 *
 * The search counts its position in words of the map, and derives the offset from the position, so
 * that only one value changes as the search goes back.
 */

#include "../native/native.h"
#include "dotnet_info.h"

#define DOTNET_NO_START (~0ull)

/*
 * Reads a chunk of the map, up to the word with index @last, into u->scratch. Word @last is
 * stored at index DOTNET_CHUNK_WORDS - 1; words before the start of the map are 0.
 */
UW_INLINE bool dotnet_read_words(struct uw_state *u, u64 last)
{
	u64 n = last + 1 < DOTNET_CHUNK_WORDS ? last + 1 : DOTNET_CHUNK_WORDS;
	u64 len = port_index(n * 4 - 1, DOTNET_CHUNK_WORDS * 4 - 1) + 1;
	u64 at = port_index(DOTNET_CHUNK_WORDS * 4 - len, DOTNET_CHUNK_WORDS * 4 - 1);

	__builtin_memset(u->scratch, 0, DOTNET_CHUNK_WORDS * 4);
	return !uw_read(u, u->scratch + at, (u32)len, u->map.file_off + (last + 1 - n) * 4);
}

/*
 * Returns the method start in the last nonzero nibble of @word. @bucket: bucket of the lowest
 * nibble.
 */
UW_INLINE u64 dotnet_last_start(u32 word, u64 bucket)
{
	if (!(word & 0xffff)) {
		word >>= 16;
		bucket -= 4;
	}
	if (!(word & 0xff)) {
		word >>= 8;
		bucket -= 2;
	}
	if (!(word & 0xf)) {
		word >>= 4;
		bucket -= 1;
	}
	return 32 * bucket + 4 * ((word & 0xf) - 1);
}

/* Clears the nibbles of @word for method starts after @off. */
UW_INLINE u32 dotnet_nibbles_before(u32 word, u64 off)
{
	u32 shift = 28 - 4 * (u32)(off >> 5 & 7);
	u32 own = word >> shift & 0xf;

	word &= ~0u << shift;
	return own > (off & 31) / 4 + 1 ? word & ~(0xfu << shift) : word;
}

/*
 * Returns the start that a word of the .NET 10 form points to, or DOTNET_NO_START if it is no
 * pointer.
 */
UW_INLINE u64 dotnet_pointed_start(u32 word)
{
	u32 low = word & 0xf;

	return low > 8 ? (word & ~0xfu) + ((low - 9) << 2) : DOTNET_NO_START;
}

/*
 * Returns the last nonzero word of the chunk, and sets @place to the word's index plus one. No
 * branch depends on the words, because each such branch would double the verifier's work. A mask
 * that depends on the words is not used either, because some verifiers handle such a mask like a
 * branch.
 */
UW_INLINE u32 dotnet_scan(const struct uw_state *u, u64 *place)
{
	const u32 *words = (const u32 *)u->scratch;
	u64 found = 0;

	for (u64 i = 0; i < DOTNET_CHUNK_WORDS / 2; i++) {
		u64 pair = ((const u64 *)words)[i];
		u64 is_set = (pair | port_index(0 - pair, ~0ull)) >> 63; /* 0 or 1 */

		found += (2 * i + 2 - found) * port_index(is_set, 1);
	}
	found -= !words[port_index(found - 1, DOTNET_CHUNK_WORDS - 1)];
	*place = found;
	return words[port_index(found - 1, DOTNET_CHUNK_WORDS - 1)];
}

/*
 * Looks up a method's start in a nibble map of the .NET 10 form. @off: offset of the code from
 * u->map.start_addr. Return: offset of the method's start, or DOTNET_NO_START.
 */
UW_INLINE u64 dotnet_constant_start(struct uw_state *u, u64 off)
{
	const u32 *words = (const u32 *)u->scratch;
	u32 own = words[DOTNET_CHUNK_WORDS - 1], before = words[DOTNET_CHUNK_WORDS - 2];
	u64 start = dotnet_pointed_start(own), bucket = (off >> 8) * 8;

	if (start != DOTNET_NO_START)
		return start;
	own = dotnet_nibbles_before(own, off);
	if (own)
		return dotnet_last_start(own, bucket + 7);
	start = dotnet_pointed_start(before);
	return start == DOTNET_NO_START && before ? dotnet_last_start(before, bucket - 1) : start;
}

UW_INLINE bool dotnet_is_empty(const struct uw_state *u)
{
	const u64 *pairs = (const u64 *)u->scratch;
	u64 all = 0;

	for (int i = 0; i < DOTNET_CHUNK_WORDS / 2; i++)
		all |= pairs[i];
	return !all;
}

/*
 * Like dotnet_constant_start(), but for the linear form, which .NET uses up to version 9. The
 * caller has read the first chunk. The search's position and result are stored in memory, because
 * otherwise the verifier would check the rest of the walk for each possible value of both.
 */
UW_INLINE u64 dotnet_linear_start(struct uw_state *u, u64 off, volatile u32 *status)
{
	u32 *own = (u32 *)u->scratch + DOTNET_CHUNK_WORDS - 1;
	volatile u32 *end = &u->undo.at; /* end of the chunk */
	u64 place;
	u32 word;

	*own = dotnet_nibbles_before(*own, off);
	*end = (u32)(off >> 8) + 1;
	for (int i = 1; i < DOTNET_MAX_CHUNKS && dotnet_is_empty(u); i++) {
		if (*end <= DOTNET_CHUNK_WORDS)
			break;
		*end -= DOTNET_CHUNK_WORDS;
		if (!dotnet_read_words(u, *end - 1)) {
			*status = UW_F_METHOD_FAULT;
			break;
		}
	}
	word = dotnet_scan(u, &place);
	if (!word)
		return DOTNET_NO_START;
	return dotnet_last_start(word, 8 * (*end + place - DOTNET_CHUNK_WORDS) - 1);
}

/**
 * dotnet_find_start() - find the nearest method start at or before an address
 * @u:		walk state; u->map is the mapping of the code heap
 * @f:		the frame; its status is set to UW_F_NO_METHOD or UW_F_METHOD_FAULT if no start is
 *		found
 * @pc:		address in u->map
 * @start_addr:	set on success; the caller must check whether the method extends to @pc
 *
 * Reads 256 bytes of the map; in the linear form, another 256 for each 16 KiB of the method
 * before @pc.
 *
 * Return: whether a start was found.
 */
UW_INLINE bool dotnet_find_start(struct uw_state *u, struct uw_frame *f, u64 pc, u64 *start_addr)
{
	volatile u32 *status = &u->undo.off;
	u64 off = pc - u->map.start_addr, start;

	*status = UW_F_NO_METHOD;
	if (!(off >> 40) && !dotnet_read_words(u, off >> 8)) {
		f->status = UW_F_METHOD_FAULT;
		return false;
	}
	if (off >> 40)
		start = DOTNET_NO_START; /* no code heap is that large */
	else if (u->map.info_idx == DOTNET_NIBBLES_CONSTANT)
		start = dotnet_constant_start(u, off);
	else
		start = dotnet_linear_start(u, off, status);
	if (start > off) {
		f->status = (u8)*status;
		return false;
	}
	*start_addr = u->map.start_addr + start;
	return true;
}
