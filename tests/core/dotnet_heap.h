/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A hand-made code heap of CoreCLR: methods, their headers, both forms of the nibble
 * map.
 */

#include "walks.h"

#include "../../core/dotnet/dotnet_info.h"

#define CODE_ADDR 0x7f0000000000ull
#define CODE_LEN 0x180000u
#define NIBBLES_ADDR 0x7f0010000000ull
#define META_ADDR 0x7f0011000000ull
#define META_LEN 0x40000u
#define ROOT_ADDR 0x7f0020000000ull
#define DOTNET_STACK 0x7ffd00000000ull
#define DOTNET_STACK_LEN 0x8000u
#define ROOT_RA (ROOT_ADDR + 0x105)
#define METHOD_DESC(i) (0x5000 + 0x100ull * (i))
#define HEADER_LEN 0x60
#define MAX_METHODS 2048

struct method {
	u32 start, end; /* code offsets in the heap */
};

struct heap {
	struct sim_mem *mem;
	struct uw_mapping maps[2];
	struct method methods[MAX_METHODS];
	u32 n, used;
	bool is_constant;
	const struct dotnet_await *awaits; /* offsets for async methods, given to the walk */
	u32 n_awaits;
};

/*
 * no_slots: UNWIND_INFO of a function that has the return address at sp. pushes_rbp: UNWIND_INFO of
 * a function that pushes rbp.
 */
static const u8 no_slots[] = { 0x19, 0, 0, 0 };
static const u8 pushes_rbp[] = { 0x19, 1, 1, 0, 1, 0x50, 0, 0 };

/*
 * Offsets of native code: the entry of a thread, and the function to which hijacked threads
 * return.
 */
#define TRIP_OFF 0x800
static const struct uw_row_page root_page = { 1, 0, 0, 2 };
static const struct uw_rule root_rules[] = { { .cfa = UW_CFA_NONE },
					     { .cfa = UW_CFA_ROOT },
					     { .cfa = UW_CFA_HIJACKED } };
static const u32 root_rows[] = { 1, TRIP_OFF << UW_ROW_OFF_SHIFT | 2 };

static void walk_by(struct uw_state *u, const struct heap *h, u64 pc, u64 sp, u64 fp,
		    u64 process_key)
{
	struct sim_target t = { .mem = h->mem,
				.mappings = h->maps,
				.n_mappings = 2,
				.extent = 2,
				.row_pages = &root_page,
				.n_row_pages = 1,
				.rows = root_rows,
				.n_rows = 2,
				.rules = root_rules,
				.n_rules = 3,
				.awaits = h->awaits,
				.n_awaits = h->n_awaits,
				.regs = { .pc = pc, .sp = sp, .fp = fp },
				.va_mask = VA47,
				.process_key = process_key };

	sim_arch_x86_64.walk(u, &t);
}

static void put(struct heap *h, u64 addr, const void *src, u64 len)
{
	assert_int_equal(sim_image_write(h->mem, addr, src, len), 0);
}

static void heap_init(struct heap *h, bool is_constant)
{
	*h = (struct heap){ .is_constant = is_constant, .used = 0x20 };
	h->maps[0] = (struct uw_mapping){ CODE_ADDR,
					  CODE_ADDR + CODE_LEN,
					  NIBBLES_ADDR,
					  0,
					  UW_MAP_DOTNET_JIT,
					  0,
					  is_constant ? DOTNET_NIBBLES_CONSTANT
						      : DOTNET_NIBBLES_LINEAR };
	h->maps[1] = (struct uw_mapping){ ROOT_ADDR, ROOT_ADDR + 0x1000, 0, 1, UW_MAP_NATIVE };
	assert_int_equal(sim_image_new(&h->mem), 0);
	assert_int_equal(sim_image_map(h->mem, CODE_ADDR, CODE_LEN, SIM_READ | SIM_EXEC), 0);
	assert_int_equal(sim_image_map(h->mem, NIBBLES_ADDR, CODE_LEN / 64, SIM_READ), 0);
	assert_int_equal(sim_image_map(h->mem, META_ADDR, META_LEN, SIM_READ), 0);
	assert_int_equal(sim_image_map(h->mem, DOTNET_STACK, DOTNET_STACK_LEN, SIM_READ), 0);
}

static inline void put_u64(struct heap *h, u64 addr, u64 word)
{
	put(h, addr, &word, sizeof(word));
}

static void put_word(struct heap *h, u32 i, u32 or)
{
	u32 word;

	assert_int_equal(sim_mem_read(h->mem, &word, 4, NIBBLES_ADDR + 4ull * i), 0);
	word |= or ;
	put(h, NIBBLES_ADDR + 4ull * i, &word, 4);
}

/*
 * Enters a method in the nibble map as the runtime does: one nibble records the start, and each
 * word whose code is completely inside the method contains the encoded start.
 */
static void put_nibbles(struct heap *h, u32 start, u32 end)
{
	u32 bucket = start / 32;

	put_word(h, bucket / 8, (start % 32 / 4 + 1) << (28 - 4 * (bucket % 8)));
	for (u32 i = start / 256 + 1; h->is_constant && (i + 1) * 256 <= end; i++)
		put_word(h, i, (start & ~15u) | (9 + (start & 15) / 4));
}

struct entry {
	u32 begin, end, unwind;
};

/*
 * Every third method starts at the next free address, so it can share a bucket with the previous
 * method.
 */
static u32 place_method(const struct heap *h)
{
	u32 start = (h->used + 8 + 3) & ~3u;

	if (h->n % 3 != 1 || start / 32 == h->methods[h->n - 1].start / 32)
		start = (start + 31) & ~31u;
	return start;
}

/* Adds a method of @len bytes and a funclet after it. The UNWIND_INFO of each follows its code. */
static u32 add_method(struct heap *h, u32 len, const u8 *info, u32 info_len, u32 funclet_len,
		      const u8 *funclet_info, u32 funclet_info_len)
{
	u32 start = place_method(h), end = start + len + funclet_len;
	u32 info_at = (end + 3) & ~3u, funclet_info_at = (info_at + info_len + 3) & ~3u;
	struct entry entries[2] = { { start, start + len, info_at },
				    { start + len, end, funclet_info_at } };
	u64 header = META_ADDR + HEADER_LEN * (u64)h->n, desc = METHOD_DESC(h->n);
	u32 n = funclet_len ? 2 : 1;

	assert_true(h->n < MAX_METHODS && funclet_info_at + 64 < CODE_LEN);
	put(h, CODE_ADDR + start - 8, &header, 8);
	put(h, header + 0x18, &desc, 8);
	put(h, header + 0x20, &n, 4);
	put(h, header + 0x24, entries, n * sizeof(*entries));
	put(h, CODE_ADDR + info_at, info, info_len);
	if (funclet_len)
		put(h, CODE_ADDR + funclet_info_at, funclet_info, funclet_info_len);
	put_nibbles(h, start, end);
	h->methods[h->n++] = (struct method){ start, end };
	h->used = funclet_info_at + funclet_info_len;
	return start;
}
