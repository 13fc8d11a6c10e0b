// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the classification of memory, which decides which memory of a case is redacted. The memory
 * in the test is that of this process.
 */

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../loader/capture/process_areas.h"
#include "../check.h"

static int data = 1;

static const struct area *area_of(const struct areas *a, const void *addr)
{
	const struct area *area = areas_find(a, (u64)(uintptr_t)addr);

	assert_non_null(area);
	return area;
}

static void memory_is_classified_by_its_mapping(void **state)
{
	u8 *heap = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u8 *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct area *file;
	struct areas a;

	(void)state;
	assert_int_equal(areas_read(&a, (u32)getpid(), (u64)(uintptr_t)&a), 0);
	assert_int_equal(area_of(&a, &a)->holds, CASE_STACK);
	assert_int_equal(area_of(&a, heap)->holds, CASE_HEAP);
	assert_int_equal(area_of(&a, heap)->prot, PF_R | PF_W);
	assert_int_equal(area_of(&a, code)->holds, CASE_CODE);
	assert_int_equal(area_of(&a, code)->prot, PF_R | PF_X);
	assert_null(area_of(&a, code)->path);
	file = area_of(&a, &data);
	assert_int_equal(file->holds, CASE_OTHER);
	assert_non_null(strstr(file->path, "test_process_areas"));
	file = area_of(&a, (const void *)(uintptr_t)memory_is_classified_by_its_mapping);
	assert_int_equal(file->holds, CASE_CODE);
	assert_non_null(file->path);
	areas_deinit(&a);
	munmap(heap, 4096);
	munmap(code, 4096);
}

/* A thread's stack is anonymous memory, like any heap. */
static void only_the_mapping_that_contains_sp_is_classified_as_the_stack(void **state)
{
	u8 *other = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 n_stacks = 0;
	struct areas a;

	(void)state;
	assert_int_equal(areas_read(&a, (u32)getpid(), (u64)(uintptr_t)other), 0);
	assert_int_equal(area_of(&a, other)->holds, CASE_STACK);
	for (u32 i = 0; i < a.n; i++)
		n_stacks += a.v[i].holds == CASE_STACK;
	assert_int_equal(n_stacks, 1);
	areas_deinit(&a);
	munmap(other, 4096);
}

static void no_memory_is_listed_for_a_process_that_has_exited(void **state)
{
	struct areas a;

	(void)state;
	assert_int_equal(areas_read(&a, 5000000, 0), -ESRCH);
	assert_int_equal(a.n, 0);
	areas_deinit(&a);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_classified_by_its_mapping),
		cmocka_unit_test(only_the_mapping_that_contains_sp_is_classified_as_the_stack),
		cmocka_unit_test(no_memory_is_listed_for_a_process_that_has_exited),
	};

	return CHECK_RUN(tests);
}
