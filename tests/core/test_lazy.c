// SPDX-License-Identifier: BSD-2-Clause

/* Lazy memory: its contents are drawn from the input when it is first read. */

#include "walks.h"

#include "../../sim/mem/lazy.h"

#define STACK_AT 0x7ffc00001000ull
#define THERE 0xff /* input byte for a present page */
#define RAW 0xff /* input byte for a word given by the next eight bytes */
#define NEAR 0 /* input byte for a word that points to the next word */

static const u64 hints[] = { 0x400000 };

static struct sim_mem *make(const u8 *input, u64 len)
{
	struct sim_mem *mem;

	assert_int_equal(sim_lazy_new(hints, 1, &mem), 0);
	sim_lazy_reset(mem, input, len);
	return mem;
}

static u64 word_at(struct sim_mem *mem, u64 addr)
{
	u64 word = 1;

	assert_int_equal(sim_mem_read(mem, &word, 8, addr), 0);
	return word;
}

static void input_byte_selects_the_kind_of_the_next_word(void **state)
{
	const u8 input[] = { THERE, 2, 128, 5, RAW, 1, 2, 3, 4, 5, 6, 7, 8 };
	struct sim_mem *mem = make(input, sizeof(input));

	(void)state;
	assert_int_equal(word_at(mem, STACK_AT), STACK_AT + 24);
	assert_int_equal(word_at(mem, STACK_AT + 8), hints[0] + 5);
	assert_int_equal(word_at(mem, STACK_AT + 16), 0x0807060504030201);
	assert_int_equal(word_at(mem, STACK_AT + 24), 0); /* the input has ended */
	sim_mem_free(&mem);
}

static void word_that_was_read_stays_the_same_in_later_reads(void **state)
{
	const u8 input[] = { THERE, NEAR, RAW, 1, 1, 1, 1, 1, 1, 1, 1, 3 };
	struct sim_mem *mem = make(input, sizeof(input));
	u64 window[4], second;
	u8 byte;

	(void)state;
	second = word_at(mem, STACK_AT + 8);
	assert_int_equal(second, STACK_AT + 16);
	assert_int_equal(sim_mem_read(mem, window, sizeof(window), STACK_AT), 0);
	assert_int_equal(window[0], 0x0101010101010101);
	assert_int_equal(window[1], second);
	assert_int_equal(sim_mem_read(mem, &byte, 1, STACK_AT + 9), 0);
	assert_int_equal(byte, second >> 8 & 0xff);
	sim_mem_free(&mem);
}

static void every_read_of_an_absent_page_faults(void **state)
{
	const u8 input[] = { 0, THERE, NEAR };
	struct sim_mem *mem = make(input, sizeof(input));
	u64 word = 1;

	(void)state;
	assert_int_equal(sim_mem_read(mem, &word, 8, STACK_AT), SIM_FAULT);
	assert_int_equal(word, 0);
	assert_int_equal(word_at(mem, STACK_AT + 0x1000), STACK_AT + 0x1008);
	assert_int_equal(sim_mem_read(mem, &word, 8, STACK_AT + 8), SIM_FAULT);
	assert_int_equal(sim_mem_read(mem, &word, 8, STACK_AT + 0xffc), SIM_FAULT);
	sim_mem_free(&mem);
}

static void page_is_absent_if_the_fuzz_input_has_ended(void **state)
{
	struct sim_mem *mem = make(NULL, 0);
	u64 word;

	(void)state;
	assert_int_equal(sim_mem_read(mem, &word, 8, STACK_AT), SIM_FAULT);
	sim_mem_free(&mem);
}

static void words_are_drawn_from_the_new_input_after_a_reset(void **state)
{
	const u8 first[] = { THERE, 1 }, second[] = { THERE, 9 };
	struct sim_mem *mem = make(first, sizeof(first));

	(void)state;
	assert_int_equal(word_at(mem, STACK_AT), STACK_AT + 16);
	sim_lazy_reset(mem, second, sizeof(second));
	assert_int_equal(word_at(mem, STACK_AT), STACK_AT + 80);
	sim_mem_free(&mem);
}

static void number_of_pages_that_one_fuzz_run_can_use_is_limited(void **state)
{
	static u8 input[4 * SIM_LAZY_PAGES];
	struct sim_mem *mem;
	u64 n = 0, word;

	(void)state;
	memset(input, THERE - 0x80,
	       sizeof(input)); /* pages are present, and each word points to the next */
	mem = make(input, sizeof(input));
	while (!sim_mem_read(mem, &word, 8, STACK_AT + n * SIM_PAGE_LEN))
		n++;
	assert_int_equal(n, SIM_LAZY_PAGES);
	assert_int_equal(word_at(mem, STACK_AT), STACK_AT + 8 * (THERE - 0x80 + 1));
	sim_mem_free(&mem);
}

/*
 * A read of a whole window draws the same bytes, and consumes the same input, as reads of its
 * words.
 */
static void one_long_read_returns_the_same_bytes_as_many_reads_of_single_words(void **state)
{
	static const struct {
		u64 addr;
		u32 len;
	} reads[] = {
		{ STACK_AT + 8, 24 },	{ STACK_AT + 0x1f8, 0x210 }, { STACK_AT + 0xff0, 32 },
		{ STACK_AT + 4, 1020 }, { STACK_AT + 0x3000, 4096 }, { STACK_AT + 0x2ffc, 8 }
	};
	static u8 input[1000], once[4096], piecewise[4096];
	struct sim_mem *a, *b;

	(void)state;
	for (u32 i = 0; i < sizeof(input); i++)
		input[i] = (u8)(24 + i * 7 % 200);
	a = make(input, sizeof(input));
	b = make(input, sizeof(input));
	for (u32 i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
		assert_int_equal(sim_mem_read(a, once, reads[i].len, reads[i].addr), 0);
		for (u32 at = 0; at < reads[i].len; at += 4)
			assert_int_equal(sim_mem_read(b, piecewise + at, 4, reads[i].addr + at), 0);
		assert_memory_equal(once, piecewise, reads[i].len);
	}
	sim_mem_free(&a);
	sim_mem_free(&b);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(input_byte_selects_the_kind_of_the_next_word),
	cmocka_unit_test(word_that_was_read_stays_the_same_in_later_reads),
	cmocka_unit_test(every_read_of_an_absent_page_faults),
	cmocka_unit_test(page_is_absent_if_the_fuzz_input_has_ended),
	cmocka_unit_test(words_are_drawn_from_the_new_input_after_a_reset),
	cmocka_unit_test(number_of_pages_that_one_fuzz_run_can_use_is_limited),
	cmocka_unit_test(one_long_read_returns_the_same_bytes_as_many_reads_of_single_words),
};

int main(void)
{
	return CHECK_RUN(tests);
}
