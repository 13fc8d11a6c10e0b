/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Code is divided into buckets of 32 bytes; one nibble per bucket records whether and where
 * code starts in the bucket. Code starts at multiples of 4, so a bucket has eight possible
 * places:
 *
 *	nibble = 0: no start;  1..8: start = base + 32 * bucket + 4 * (nibble - 1)
 *
 *	         word 0                       word 1
 *	  +---+---+-- ... --+---+   +---+---+-- ... --+---+
 *	  | 0 | 1 |         | 7 |   | 8 | 9 |         |15 |    bucket
 *	  +---+---+-- ... --+---+   +---+---+-- ... --+---+
 *	  31..28              3..0    bits of the word, 256 bytes of code each
 *
 * Linear form (.NET 6-9): words between a start and the address are zero, so the search goes back
 * to the nearest nonzero word. Constant-time form (.NET 10): a word completely inside a method
 * contains the start itself; the lowest nibble of such a word has a value that no bucket has:
 *
 *	(word & 15) > 8:  start = base + (word & ~15) + 4 * ((word & 15) - 9)
 *
 * All positions are counted in words and buckets of the map, never in bytes of the buffer,
 * so they do not depend on which part of the map is in the buffer. Source: coreclr
 * inc/nibblemapmacros.h, vm/codeman.cpp EEJitManager::FindMethodCode and
 * NibbleMapInterpreter at v9.0.22 and v10.0.14.
 */

#include <errno.h>
#include <stdint.h>

#include "nibble_map.h"

#define BUCKET_LEN 32
#define BUCKETS 8 /* per word */
#define WINDOW 128 /* words per read */
#define MAX_WORDS (1u << 16)

/* A copy of the words [first, first + n) of the map. */
struct window {
	u64 first;
	u32 n;
	u32 words[WINDOW];
};

/* Reads the window that ends with word @last. */
static int read_window(const struct nibble_map *m, struct window *w, u64 last)
{
	w->n = last + 1 < WINDOW ? (u32)(last + 1) : WINDOW;
	w->first = last + 1 - w->n;
	return target_read(m->target, m->map_addr + 4 * w->first, w->words, 4 * w->n);
}

static bool is_pointer(const struct nibble_map *m, u32 word)
{
	return m->is_constant_time && (word & 15) > 8;
}

static int follow_pointer(const struct nibble_map *m, u32 word, u64 pc, u64 *start_addr)
{
	u64 start = m->base_addr + (word & ~15u) + 4 * ((word & 15) - 9);

	if ((word & 15) > 8 + 4 || start > pc)
		return -EINVAL;
	*start_addr = start;
	return 0;
}

/* Returns the last start in a word, at or before bucket @bucket of the word. */
static int last_start(const struct nibble_map *m, u32 word, u64 idx, u32 bucket, u64 *start_addr)
{
	for (u32 b = bucket + 1; b-- > 0;) {
		u32 nibble = word >> (28 - 4 * b) & 15;

		if (nibble > 8)
			return -EINVAL;
		if (nibble) {
			*start_addr = m->base_addr + (idx * BUCKETS + b) * BUCKET_LEN +
				      (u64)4 * (nibble - 1);
			return 0;
		}
	}
	return -ENOENT;
}

/* In the word for @pc itself, a start in @pc's bucket may be after @pc. */
static int find_in_own_word(const struct nibble_map *m, u32 word, u64 pc, u64 *start_addr)
{
	u64 off = pc - m->base_addr, start;
	u32 bucket = (u32)(off / BUCKET_LEN % BUCKETS);
	u64 idx = off / BUCKET_LEN / BUCKETS;
	int err;

	if (is_pointer(m, word))
		return follow_pointer(m, word, pc, start_addr);
	err = last_start(m, word, idx, bucket, &start);
	if (!err && start > pc)
		err = bucket ? last_start(m, word, idx, bucket - 1, &start) : -ENOENT;
	if (!err)
		*start_addr = start;
	return err;
}

int nibble_map_find(const struct nibble_map *m, u64 pc, u64 *start_addr)
{
	u64 off = pc - m->base_addr, idx = off / BUCKET_LEN / BUCKETS;
	struct window w;
	u32 seen = 0;
	int err;

	if (pc < m->base_addr || off >= m->code_len || idx > UINT64_MAX / 4 - 1 ||
	    m->map_addr > UINT64_MAX - 4 * (idx + 1))
		return -EINVAL;
	err = read_window(m, &w, idx);
	if (err < 0)
		return err;
	err = find_in_own_word(m, w.words[w.n - 1], pc, start_addr);
	for (; err == -ENOENT && idx && seen < MAX_WORDS; seen++) {
		u32 word;

		idx--;
		if (idx < w.first && read_window(m, &w, idx) < 0)
			return -EFAULT;
		word = w.words[idx - w.first];
		if (is_pointer(m, word))
			return follow_pointer(m, word, pc, start_addr);
		if (word)
			return last_start(m, word, idx, BUCKETS - 1, start_addr);
		if (m->is_constant_time)
			return -ENOENT; /* a start would be in the previous word */
	}
	return err;
}
