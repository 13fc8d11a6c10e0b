/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests which anonymous code is recognized as CoreCLR's stubs. The target is this process: it
 * reserves memory like the runtime and makes pieces of it executable.
 *
 *	piece 1: an image	piece 2: stubs, or not	piece 3: a code heap
 */

#include "../check.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../loader/runtime/anon_stubs.h"

#define RESERVED (64ull << 20)
#define PIECE 0x10000ull
#define FIRST (RESERVED / 2) /* offset of the first piece in the reserved memory */

struct world {
	u64 addr; /* address of the reserved memory */
	struct anon_stubs stubs;
};

static u64 piece(const struct world *w, u32 i)
{
	return w->addr + FIRST + i * 2 * PIECE;
}

static void allow(u64 addr, u64 len)
{
	assert_int_equal(mprotect((void *)addr, len, PROT_READ | PROT_EXEC), 0);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	void *p = mmap(NULL, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_non_null(w);
	assert_ptr_not_equal(p, MAP_FAILED);
	w->addr = (u64)p;
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	anon_stubs_deinit(&w->stubs);
	munmap((void *)w->addr, RESERVED);
	free(w);
	return 0;
}

/* Returns the kind of stub at @addr; the runtime reports an image and a code heap. */
static u32 look(struct world *w, u64 addr)
{
	const struct dotnet_range ranges[] = {
		{ DOTNET_RANGE_R2R, piece(w, 1), piece(w, 1) + PIECE, 0, 0 },
		{ DOTNET_RANGE_JIT, piece(w, 3), piece(w, 3) + PIECE, 0, 0 },
	};
	const struct uw_mapping all = { .start_addr = w->addr,
					.end_addr = w->addr + RESERVED,
					.kind = UW_MAP_DOTNET_STUBS };
	u32 found = DOTNET_STUB_LAST;
	struct map_list l = { 0 };

	assert_int_equal(map_list_push(&l, &all), 0);
	assert_int_equal(anon_stubs_place(&w->stubs, (u32)getpid(), ranges, 2, &l), 0);
	for (u32 i = 0; i < l.n; i++)
		if (l.v[i].start_addr <= addr && addr < l.v[i].end_addr)
			found = l.v[i].info_idx;
	free(l.v);
	return found;
}

static void executable_memory_that_is_older_than_the_code_heap_counts_as_stubs(void **state)
{
	struct world *w = *state;

	allow(piece(w, 2), PIECE);
	assert_int_equal(look(w, piece(w, 2)), DOTNET_STUB_UNKNOWN);
	assert_int_equal(look(w, piece(w, 2)), DOTNET_STUB_HELPER);
	assert_int_equal(look(w, piece(w, 2) + PIECE - 1), DOTNET_STUB_HELPER);
	assert_int_equal(look(w, piece(w, 2) + PIECE), DOTNET_STUB_UNKNOWN);
}

static void memory_counts_as_stubs_only_after_it_has_stopped_growing(void **state)
{
	struct world *w = *state;

	allow(piece(w, 2), PIECE);
	look(w, piece(w, 2));
	allow(piece(w, 2) + PIECE, PIECE / 2);
	assert_int_equal(look(w, piece(w, 2) + PIECE), DOTNET_STUB_UNKNOWN);
	assert_int_equal(look(w, piece(w, 2) + PIECE), DOTNET_STUB_HELPER);
	allow(piece(w, 2) - PIECE / 2, PIECE / 2);
	assert_int_equal(look(w, piece(w, 2) - 1), DOTNET_STUB_UNKNOWN);
	assert_int_equal(look(w, piece(w, 2) - 1), DOTNET_STUB_HELPER);
}

static void memory_that_was_inaccessible_for_a_while_does_not_count_as_stubs(void **state)
{
	struct world *w = *state;

	allow(piece(w, 2), PIECE);
	look(w, piece(w, 2));
	assert_int_equal(mprotect((void *)piece(w, 2), PIECE, PROT_NONE), 0);
	look(w, piece(w, 2));
	allow(piece(w, 2), PIECE);
	assert_int_equal(look(w, piece(w, 2)), DOTNET_STUB_UNKNOWN);
}

static void memory_that_is_far_from_the_code_heap_does_not_count_as_stubs(void **state)
{
	struct world *w = *state;
	u64 before = piece(w, 1) - PIECE, below = piece(w, 1) - (1 << 20) - PIECE;

	allow(before, PIECE);
	allow(below, PIECE);
	look(w, before);
	assert_int_equal(look(w, before), DOTNET_STUB_HELPER);
	assert_int_equal(look(w, below), DOTNET_STUB_UNKNOWN);
}

static void a_mapped_file_does_not_count_as_stubs(void **state)
{
	struct world *w = *state;
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)PIECE), 0);
	assert_ptr_not_equal(mmap((void *)piece(w, 2), PIECE, PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_FIXED, fileno(file), 0),
			     MAP_FAILED);
	fclose(file);
	look(w, piece(w, 2));
	assert_int_equal(look(w, piece(w, 2)), DOTNET_STUB_UNKNOWN);
}

/* Without a code heap, it is unknown which memory belongs to the runtime's allocator. */
static void no_memory_counts_as_stubs_if_the_runtime_has_no_code_heap(void **state)
{
	struct world *w = *state;
	const struct uw_mapping all = { .start_addr = w->addr,
					.end_addr = w->addr + RESERVED,
					.kind = UW_MAP_DOTNET_STUBS };

	allow(piece(w, 2), PIECE);
	for (int i = 0; i < 2; i++) {
		struct map_list l = { 0 };

		assert_int_equal(map_list_push(&l, &all), 0);
		assert_int_equal(anon_stubs_place(&w->stubs, (u32)getpid(), NULL, 0, &l), 0);
		assert_int_equal(l.n, 1);
		assert_int_equal(l.v[0].info_idx, DOTNET_STUB_UNKNOWN);
		free(l.v);
	}
}

#define STUBS_TEST(name_) cmocka_unit_test_setup_teardown(name_, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	STUBS_TEST(executable_memory_that_is_older_than_the_code_heap_counts_as_stubs),
	STUBS_TEST(memory_counts_as_stubs_only_after_it_has_stopped_growing),
	STUBS_TEST(memory_that_was_inaccessible_for_a_while_does_not_count_as_stubs),
	STUBS_TEST(memory_that_is_far_from_the_code_heap_does_not_count_as_stubs),
	STUBS_TEST(a_mapped_file_does_not_count_as_stubs),
	STUBS_TEST(no_memory_counts_as_stubs_if_the_runtime_has_no_code_heap),
};

int main(void)
{
	return CHECK_RUN(tests);
}
