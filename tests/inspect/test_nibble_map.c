/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Lookups in nibble maps of hand-made heaps, written method by method as the
 * runtime does (EEJitManager::NibbleMapSet at v9.0.22 and v10.0.14). Addresses all
 * over each method must map to the start of the method.
 */

#include "../../inspect/dotnet/nibble_map.h"
#include "../check.h"
#include "fake_bytes.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

#define CODE 0x7f0000000000ull
#define MAP 0x7e0000000000ull
#define HEAP_LEN (4u << 20)
#define KIB 1024u

struct method {
	u32 off, len;
};

/*
 * Short methods around 32 KiB of code, where reads of the map move to the next window of 128
 * words; methods longer than 32 KiB, 77 KiB and 1 MiB; methods in neighboring buckets; a method at
 * the heap's end.
 */
static const struct method methods[] = {
	{ 0x10, 20 },
	{ 0x40, 4 },
	{ 0x64, 60 },
	{ 0x100, 0x4000 },
	{ 32 * KIB - 64, 40 },
	{ 32 * KIB - 20, 16 },
	{ 32 * KIB, 40 },
	{ 32 * KIB + 256, 100 },
	{ 40 * KIB, 24 * KIB - 256 },
	{ 64 * KIB - 256, 200 },
	{ 64 * KIB, 256 },
	{ 64 * KIB + 256, 30 },
	{ 70 * KIB + 4, 33 * KIB },
	{ 110 * KIB + 28, 90 * KIB },
	{ 300 * KIB, 600 },
	{ 400 * KIB + 8, 1536 * KIB },
	{ 2048 * KIB, 65 },
	{ HEAP_LEN - 32, 32 },
};

struct heap {
	u32 words[HEAP_LEN / 256];
	struct fake_bytes bytes;
	struct nibble_map map;
};

static void set_nibble(struct heap *h, u32 off)
{
	h->words[off / 256] |= (off % 32 / 4 + 1) << (28 - 4 * (off / 32 % 8));
}

/* .NET 10 stores the method's start in each map word whose code is completely inside the method. */
static void set_pointers(struct heap *h, const struct method *m)
{
	for (u32 word = m->off / 256 + 1; (word + 1) * 256 <= m->off + m->len; word++)
		h->words[word] = (m->off & ~15u) | (9 + m->off % 16 / 4);
}

static void make(struct heap *h, bool is_constant_time)
{
	memset(h->words, 0, sizeof(h->words));
	for (size_t i = 0; i < N(methods); i++) {
		set_nibble(h, methods[i].off);
		if (is_constant_time)
			set_pointers(h, &methods[i]);
	}
	fake_bytes_init(&h->bytes, MAP, h->words, sizeof(h->words));
	h->map = (struct nibble_map){ &h->bytes.target, MAP, CODE, HEAP_LEN, is_constant_time };
}

static void check_all(struct heap *h)
{
	u64 start;

	for (size_t i = 0; i < N(methods); i++) {
		u32 last = methods[i].off + methods[i].len - 1;

		for (u32 off = methods[i].off; off < last;
		     off += off - methods[i].off < 512 ? 1 : 61) {
			assert_int_equal(nibble_map_find(&h->map, CODE + off, &start), 0);
			assert_int_equal(start - CODE, methods[i].off);
		}
		assert_int_equal(nibble_map_find(&h->map, CODE + last, &start), 0);
		assert_int_equal(start - CODE, methods[i].off);
	}
	assert_true(h->bytes.lowest >= MAP);
}

static struct heap heap;

static void linear_map_finds_the_start_of_a_method_from_every_byte(void **state)
{
	(void)state;
	make(&heap, false);
	check_all(&heap);
}

static void constant_time_map_finds_the_start_of_a_method_from_every_byte(void **state)
{
	(void)state;
	make(&heap, true);
	check_all(&heap);
}

static void lookup_in_a_constant_time_map_takes_at_most_two_reads(void **state)
{
	u64 start;

	(void)state;
	make(&heap, true);
	for (u32 off = 0; off < HEAP_LEN; off += 52) {
		heap.bytes.n_reads = 0;
		nibble_map_find(&heap.map, CODE + off, &start);
		assert_true(heap.bytes.n_reads <= 2);
	}
}

static void address_before_the_first_method_has_no_method(void **state)
{
	u64 start = 1;

	(void)state;
	for (int form = 0; form < 2; form++) {
		make(&heap, form);
		for (u32 off = 0; off < 0x10; off++)
			assert_int_equal(nibble_map_find(&heap.map, CODE + off, &start), -ENOENT);
		heap.bytes.lowest = ~0ull;
		memset(heap.words, 0, sizeof(heap.words));
		assert_int_equal(nibble_map_find(&heap.map, CODE + 40 * KIB, &start), -ENOENT);
		assert_true(heap.bytes.lowest >= MAP);
		assert_int_equal(start, 1);
	}
}

static void address_outside_the_heap_is_refused(void **state)
{
	static const u64 pcs[] = { 0, CODE - 1, CODE + HEAP_LEN, ~0ull };
	u64 start = 1;

	(void)state;
	make(&heap, false);
	for (size_t i = 0; i < N(pcs); i++)
		assert_int_equal(nibble_map_find(&heap.map, pcs[i], &start), -EINVAL);
	heap.map.code_len = ~0ull;
	heap.map.map_addr = ~0ull - 8;
	assert_int_equal(nibble_map_find(&heap.map, CODE + 4096, &start), -EINVAL);
	assert_int_equal(heap.bytes.n_reads, 0);
	assert_int_equal(start, 1);
}

/*
 * If a map is read in the wrong format, some lookups give a wrong start; these lookups must be
 * refused.
 */
static void nibble_map_read_in_the_other_format_is_refused(void **state)
{
	const struct method *long_one = &methods[N(methods) - 3];
	u64 start;

	(void)state;
	make(&heap, true);
	heap.map.is_constant_time = false;
	assert_int_equal(nibble_map_find(&heap.map, CODE + long_one->off + 4096, &start), -EINVAL);
	make(&heap, false);
	heap.map.is_constant_time = true;
	assert_int_equal(nibble_map_find(&heap.map, CODE + long_one->off + 4096, &start), -ENOENT);
}

static void invalid_map_words_are_refused(void **state)
{
	static const u32 words[] = { 0xdu, 0xeu, 0xfu, 0x00000ff9, 0xfffffff9, 0x90000000 };
	u64 start = 1;

	(void)state;
	for (size_t i = 0; i < N(words); i++) {
		make(&heap, true);
		memset(heap.words, 0, sizeof(heap.words));
		heap.words[2] = words[i];
		assert_int_equal(nibble_map_find(&heap.map, CODE + 2 * 256 + 255, &start), -EINVAL);
		assert_int_equal(start, 1);
	}
	heap.map.is_constant_time = false;
	heap.words[2] = 0x9;
	assert_int_equal(nibble_map_find(&heap.map, CODE + 2 * 256 + 255, &start), -EINVAL);
}

static void lookup_finds_no_wrong_method_if_a_read_fails(void **state)
{
	const struct method *longest = &methods[N(methods) - 3];
	u64 pc = CODE + longest->off + longest->len - 1, start = 1;
	u32 n;

	(void)state;
	make(&heap, false);
	assert_int_equal(nibble_map_find(&heap.map, pc, &start), 0);
	n = heap.bytes.n_reads;
	assert_true(n > 10);
	for (heap.bytes.fail_at = 1; heap.bytes.fail_at <= n; heap.bytes.fail_at++) {
		heap.bytes.n_reads = 0;
		start = 1;
		assert_int_equal(nibble_map_find(&heap.map, pc, &start), -EFAULT);
		assert_int_equal(start, 1);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(linear_map_finds_the_start_of_a_method_from_every_byte),
	cmocka_unit_test(constant_time_map_finds_the_start_of_a_method_from_every_byte),
	cmocka_unit_test(lookup_in_a_constant_time_map_takes_at_most_two_reads),
	cmocka_unit_test(address_before_the_first_method_has_no_method),
	cmocka_unit_test(address_outside_the_heap_is_refused),
	cmocka_unit_test(nibble_map_read_in_the_other_format_is_refused),
	cmocka_unit_test(invalid_map_words_are_refused),
	cmocka_unit_test(lookup_finds_no_wrong_method_if_a_read_fails),
};

int main(void)
{
	return CHECK_RUN(tests);
}
