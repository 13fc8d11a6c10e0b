// SPDX-License-Identifier: BSD-2-Clause

/* Arrays that grow. */

#include "../../core/types.h"
#include "../../inspect/util/array.h"
#include "../check.h"

static void elements_are_kept_when_the_array_grows(void **state)
{
	u32 *v = NULL, room = 0;

	(void)state;
	for (u32 i = 0; i < 1000; i++) {
		assert_int_equal(array_reserve(v, room, i + 1), 0);
		assert_true(room > i);
		v[i] = i;
	}
	for (u32 i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	free(v);
}

static void array_grows_to_the_size_for_many_new_elements_in_one_step(void **state)
{
	u8 *v = NULL;
	size_t room = 0;

	(void)state;
	assert_int_equal(array_reserve(v, room, 1025), 0);
	assert_int_equal(room, 2048);
	free(v);
}

static void array_that_has_enough_room_is_not_moved(void **state)
{
	u64 *v = NULL, *before;
	u32 room = 0;

	(void)state;
	assert_int_equal(array_reserve(v, room, ARRAY_FIRST), 0);
	before = v;
	assert_int_equal(array_reserve(v, room, ARRAY_FIRST), 0);
	assert_ptr_equal(v, before);
	assert_int_equal(room, ARRAY_FIRST);
	free(v);
}

static void array_is_unchanged_if_an_allocation_fails(void **state)
{
	u64 *v = NULL, *before;
	size_t room = 0;

	(void)state;
	assert_int_equal(array_reserve(v, room, 1), 0);
	before = v;
	assert_int_equal(array_reserve(v, room, (size_t)-1 / 16), -ENOMEM);
	assert_int_equal(array_reserve(v, room, (size_t)-1), -ENOMEM);
	assert_ptr_equal(v, before);
	assert_int_equal(room, ARRAY_FIRST);
	free(v);
}

static void array_is_not_grown_if_the_element_count_would_overflow(void **state)
{
	u8 *v = NULL, room = 0;

	(void)state;
	assert_int_equal(array_reserve(v, room, 128), 0);
	assert_int_equal(array_reserve(v, room, 129), -ENOMEM);
	assert_int_equal(room, 128);
	free(v);
}

#define T cmocka_unit_test
static const struct CMUnitTest tests[] = {
	T(elements_are_kept_when_the_array_grows),
	T(array_grows_to_the_size_for_many_new_elements_in_one_step),
	T(array_that_has_enough_room_is_not_moved),
	T(array_is_unchanged_if_an_allocation_fails),
	T(array_is_not_grown_if_the_element_count_would_overflow),
};

int main(void)
{
	return CHECK_RUN(tests);
}
