// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests which pages of rows are prefetched because of return addresses on a stack; the stack
 * is memory of this process.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../loader/rows/prefetch.h"
#include "../../loader/symbols/module.h"
#include "../check.h"

#define PAGE 4096u
#define LOOKED_AT (64u << 10)
#define CODE 0x10000000ull
#define CODE_LEN 0x100000
#define FILE_OFF 0x3000
#define OTHER (CODE + CODE_LEN)
#define MODULE 7

static struct {
	u32 n, module[1024], page[1024];
} wanted;

u32 row_filler_prefetch(struct row_filler *f, u32 module, u32 page)
{
	assert_ptr_equal(f, &wanted);
	assert_in_range(wanted.n, 0, 1023);
	wanted.module[wanted.n] = module;
	wanted.page[wanted.n++] = page;
	return 1;
}

void row_filler_miss(struct row_filler *f, u32 module, u32 page)
{
	row_filler_prefetch(f, module, page);
}

static struct mapping files[] = {
	{ .start_addr = CODE, .end_addr = OTHER, .file_off = FILE_OFF, .module = MODULE },
	{ .start_addr = OTHER, .end_addr = OTHER + PAGE, .module = MODULE_NONE },
	{ .start_addr = OTHER + PAGE, .end_addr = OTHER + 2 * PAGE },
};
static struct mappings maps = { .n_refs = 1, .n = 3, .v = files };
static struct process process = { .maps = &maps };
static u64 *stack;

static int begin(void **state)
{
	(void)state;
	wanted.n = 0;
	process.pid = (u32)getpid();
	stack = mmap(NULL, LOOKED_AT + 2 * PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return stack == MAP_FAILED ? -1 : 0;
}

static int finish(void **state)
{
	(void)state;
	return munmap(stack, LOOKED_AT + 2 * PAGE);
}

static void prefetch_at(u64 sp)
{
	wanted.n = 0;
	prefetch_stack((struct row_filler *)&wanted, &process, sp);
}

static void the_page_of_the_byte_before_a_return_address_is_prefetched(void **state)
{
	static const struct {
		u64 word;
		bool is_wanted;
		u32 page;
	} cases[] = {
		{ CODE + 1, true, FILE_OFF / UW_ROW_PAGE_LEN },
		{ CODE + UW_ROW_PAGE_LEN, true, FILE_OFF / UW_ROW_PAGE_LEN },
		{ CODE + UW_ROW_PAGE_LEN + 1, true, FILE_OFF / UW_ROW_PAGE_LEN + 1 },
		{ OTHER, true, (FILE_OFF + CODE_LEN - 1) / UW_ROW_PAGE_LEN },
		{ CODE, false, 0 }, /* no call ends at this address */
		{ OTHER + 1, false, 0 }, /* looked up, but not in a module */
		{ OTHER + PAGE + 1, false, 0 }, /* not looked up yet */
		{ OTHER + 2 * PAGE + 1, false, 0 },
		{ 0, false, 0 },
		{ 42, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		stack[5] = cases[i].word;
		prefetch_at((u64)stack);
		assert_int_equal(wanted.n, cases[i].is_wanted);
		if (!cases[i].is_wanted)
			continue;
		assert_int_equal(wanted.module[0], MODULE);
		assert_int_equal(wanted.page[0], cases[i].page);
	}
}

static void the_stack_is_searched_from_sp_upwards(void **state)
{
	const u64 word = CODE + 1;

	(void)state;
	stack[9] = stack[10] = word;
	prefetch_at((u64)(stack + 9));
	assert_int_equal(wanted.n, 2);
	prefetch_at((u64)(stack + 10));
	assert_int_equal(wanted.n, 1);
	prefetch_at((u64)(stack + 10) + 7); /* sp need not be aligned */
	assert_int_equal(wanted.n, 1);
	prefetch_at((u64)(stack + 11));
	assert_int_equal(wanted.n, 0);
}

static void the_stack_is_searched_up_to_the_limit(void **state)
{
	(void)state;
	stack[LOOKED_AT / 8 - 1] = CODE + 1;
	stack[LOOKED_AT / 8] = OTHER;
	prefetch_at((u64)stack);
	assert_int_equal(wanted.n, 1);
	assert_int_equal(wanted.page[0], FILE_OFF / UW_ROW_PAGE_LEN);
	prefetch_at((u64)(stack + 1));
	assert_int_equal(wanted.n, 2);
}

static void an_unreadable_part_of_the_stack_is_skipped(void **state)
{
	(void)state;
	stack[0] = stack[PAGE / 8] = stack[2 * PAGE / 8] = CODE + 1;
	assert_int_equal(mprotect((u8 *)stack + PAGE, PAGE, PROT_NONE), 0);
	prefetch_at((u64)stack);
	assert_int_equal(wanted.n, 2);
	assert_int_equal(mprotect((u8 *)stack + PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
}

static void the_stack_search_for_pages_to_prefetch_ends_after_256_pages(void **state)
{
	(void)state;
	for (u32 i = 0; i < LOOKED_AT / 8; i++)
		stack[i] = CODE + 1;
	prefetch_at((u64)stack);
	assert_in_range(wanted.n, 256, 256 + PAGE / 8 - 1);
}

static void nothing_is_prefetched_for_an_invalid_sp_or_pid(void **state)
{
	(void)state;
	stack[0] = CODE + 1;
	prefetch_at(0);
	assert_int_equal(wanted.n, 0);
	prefetch_at(~0ull - 8);
	assert_int_equal(wanted.n, 0);
	process.pid = 5000000; /* not the pid of any live process */
	prefetch_at((u64)stack);
	assert_int_equal(wanted.n, 0);
}

static void the_stack_search_of_the_main_thread_ends_at_the_environment_strings(void **state)
{
	(void)state;
	stack[LOOKED_AT / 8 - 1] = CODE + 1;
	stack[LOOKED_AT / 8] = OTHER;
	process.env_end = (u64)stack + LOOKED_AT;
	prefetch_first_stack((struct row_filler *)&wanted, &process);
	assert_int_equal(wanted.n, 1);
	assert_int_equal(wanted.page[0], FILE_OFF / UW_ROW_PAGE_LEN);
	wanted.n = 0;
	process.env_end = 0; /* unknown */
	prefetch_first_stack((struct row_filler *)&wanted, &process);
	assert_int_equal(wanted.n, 0);
}

static void the_page_that_contains_a_pc_is_requested_as_a_missed_page(void **state)
{
	(void)state;
	prefetch_missed((struct row_filler *)&wanted, &process, CODE + UW_ROW_PAGE_LEN);
	assert_int_equal(wanted.n, 1);
	assert_int_equal(wanted.page[0], FILE_OFF / UW_ROW_PAGE_LEN + 1);
	prefetch_missed((struct row_filler *)&wanted, &process, OTHER);
	prefetch_missed((struct row_filler *)&wanted, &process, 42);
	assert_int_equal(wanted.n, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(the_page_of_the_byte_before_a_return_address_is_prefetched),
		TEST(the_stack_is_searched_from_sp_upwards),
		TEST(the_stack_is_searched_up_to_the_limit),
		TEST(an_unreadable_part_of_the_stack_is_skipped),
		TEST(the_stack_search_for_pages_to_prefetch_ends_after_256_pages),
		TEST(nothing_is_prefetched_for_an_invalid_sp_or_pid),
		TEST(the_stack_search_of_the_main_thread_ends_at_the_environment_strings),
		TEST(the_page_that_contains_a_pc_is_requested_as_a_missed_page),
	};

	return CHECK_RUN(tests);
}
