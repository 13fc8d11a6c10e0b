// SPDX-License-Identifier: BSD-2-Clause

/* A range map of CoreCLR whose nodes are shared, so that little memory describes much work. */

#include <errno.h>
#include <string.h>

#include "../../inspect/dotnet/dotnet_range.h"
#include "../check.h"

#define ROOT 64 /* slot 0 of g_dacTable */
#define FRAGMENT 128 /* next, begin, end, section */
#define SECTION 256
#define LEVELS 2048 /* five tables of 256 pointers */
#define N_LEVELS 5
#define MOST 65536

static const struct dotnet_layout layout = {
	.ranges_are_map = true, .section_flags = 16, .section_heap = 24, .section_r2r_module = 32
};
static const struct dotnet_build build = { .dac_table_addr = ROOT };
static u64 memory[(LEVELS + N_LEVELS * 2048) / 8];

static void put(u64 addr, u64 word)
{
	memory[addr / 8] = word;
}

/* Makes a map in which all pointers of a level lead to one table of the next level. */
static void make(void)
{
	memset(memory, 0, sizeof(memory));
	put(ROOT, LEVELS);
	for (u64 i = 0; i < N_LEVELS * 256; i++)
		put(LEVELS + 8 * i,
		    i / 256 + 1 == N_LEVELS ? FRAGMENT : LEVELS + (i / 256 + 1) * 2048);
	put(FRAGMENT + 24, SECTION);
	put(SECTION, 0x1000);
	put(SECTION + 8, 0x2000);
	put(SECTION + 16, 2); /* a code heap */
	put(SECTION + 24, 0x3000);
}

static int count(const struct dotnet_section *s, void *data)
{
	u32 *n = data;

	assert_int_equal(s->heap, 0x3000);
	++*n;
	return 0;
}

static void visit_of_shared_nodes_ends_with_an_error(void **state)
{
	struct dotnet_runtime rt = { .l = &layout, .build = &build };
	struct target_bytes t;
	u32 n = 0;

	(void)state;
	make();
	target_bytes_init(&t, (const u8 *)memory, sizeof(memory));
	rt.target = &t.target;
	assert_int_equal(dotnet_sections_each(&rt, count, &n), -ELOOP);
	assert_true(n > 0 && n <= MOST);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(visit_of_shared_nodes_ends_with_an_error),
	};

	return CHECK_RUN(tests);
}
