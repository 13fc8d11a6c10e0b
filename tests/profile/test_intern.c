/* SPDX-License-Identifier: BSD-2-Clause */
#include "../check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../loader/profile/frame_key.h"
#include "../../loader/profile/intern.h"

static void equal_keys_get_the_same_index_and_different_keys_do_not(void **state)
{
	struct intern t;
	u32 idx;

	(void)state;
	intern_init(&t, 1 << 20);
	assert_int_equal(intern_add(&t, "one", 3, &idx), 1);
	assert_int_equal(idx, 0);
	assert_int_equal(intern_add(&t, "on", 2, &idx), 1);
	assert_int_equal(idx, 1);
	assert_int_equal(intern_add(&t, "one\0", 4, &idx), 1);
	assert_int_equal(idx, 2);
	assert_int_equal(intern_add(&t, "", 0, &idx), 1);
	assert_int_equal(idx, 3);
	assert_int_equal(intern_add(&t, "one", 3, &idx), 0);
	assert_int_equal(idx, 0);
	intern_deinit(&t);
}

static void keys_keep_their_indexes_while_the_table_grows(void **state)
{
	struct intern t;
	char key[32];
	size_t len;
	u32 idx;

	(void)state;
	intern_init(&t, 4 << 20);
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 i = 0; i < 10000; i++) {
			int n = snprintf(key, sizeof(key), "key %u", i * 7919);

			assert_int_equal(intern_add(&t, key, (size_t)n, &idx), pass == 0);
			assert_int_equal(idx, i);
			assert_memory_equal(intern_key(&t, i, &len), key, (size_t)n);
			assert_int_equal(len, n);
		}
	}
	intern_deinit(&t);
}

static void adding_a_key_to_a_full_table_fails_until_the_table_is_emptied(void **state)
{
	const size_t limit = 64 << 10;
	struct intern t;
	u32 idx, n = 0;
	int r;

	(void)state;
	intern_init(&t, limit);
	for (u64 key = 0; (r = intern_add(&t, &key, sizeof(key), &idx)) == 1; key++)
		n++;
	assert_int_equal(r, -ENOSPC);
	assert_in_range(n, 500, limit / sizeof(u64));
	assert_int_equal(intern_add(&t, &(u64){ 3 }, sizeof(u64), &idx), 0);
	assert_int_equal(idx, 3);
	intern_empty(&t);
	assert_int_equal(intern_add(&t, &(u64){ 3 }, sizeof(u64), &idx), 1);
	assert_int_equal(idx, 0);
	intern_deinit(&t);
}

static void the_longest_key_of_a_frame_has_the_length_of_its_buffer(void **state)
{
	char *text = malloc(JSON_STRING_CAP + 9);
	u8 *key = malloc(FRAME_KEY_MAX);

	(void)state;
	memset(text, 'x', JSON_STRING_CAP + 8);
	text[JSON_STRING_CAP + 8] = 0;
	assert_int_equal(frame_key(key, &(struct prof_frame){ .name = text,
							      .file = text,
							      .module = text,
							      .build_id = text,
							      .tier = text,
							      .reason = text,
							      .generated_file = text }),
			 FRAME_KEY_MAX);
	free(key);
	free(text);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(the_longest_key_of_a_frame_has_the_length_of_its_buffer),
	cmocka_unit_test(equal_keys_get_the_same_index_and_different_keys_do_not),
	cmocka_unit_test(keys_keep_their_indexes_while_the_table_grows),
	cmocka_unit_test(adding_a_key_to_a_full_table_fails_until_the_table_is_emptied),
};

int main(void)
{
	return CHECK_RUN(tests);
}
