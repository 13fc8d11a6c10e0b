/* SPDX-License-Identifier: BSD-2-Clause */

/* Lookups in the table of V8 versions (v8_versions.c). */

#include <stdint.h>

#include "../../inspect/v8/v8_layout.h"
#include "../check.h"

static u32 taken_for(u32 version)
{
	struct v8_layout l;

	v8_layout_sum(&l, version, &v8_versions);
	return l.version;
}

static void field_offset_comes_from_the_newest_layout_row_up_to_the_v8_version(void **state)
{
	(void)state;
	assert_int_equal(taken_for(V8_VERSION(10, 2)), V8_VERSION(10, 2));
	assert_int_equal(taken_for(V8_VERSION(10, 5)), V8_VERSION(10, 5));
	assert_int_equal(taken_for(V8_VERSION(8, 5)), V8_VERSION(8, 4));
	assert_int_equal(taken_for(V8_VERSION(10, 9)), V8_VERSION(10, 8));
	assert_int_equal(taken_for(V8_VERSION(13, 9)), V8_VERSION(13, 6));
	assert_int_equal(taken_for(V8_VERSION(6, 1)), V8_VERSION(8, 3));
	assert_int_equal(taken_for(V8_VERSION(19, 0)), V8_VERSION(14, 6));
}

static void layout_rows_are_sorted(void **state)
{
	(void)state;
	for (size_t i = 1; i < v8_versions.n; i++) {
		const struct v8_delta *d = &v8_versions.rows[i];

		assert_in_range(d->since, d[-1].since + (d[-1].field_off == V8_TRIED), UINT32_MAX);
	}
}

static void each_layout_row_changes_the_value_of_its_field(void **state)
{
	u16 values[sizeof(struct v8_layout)] = { 0 };

	(void)state;
	for (size_t i = 0; i < v8_versions.n; i++) {
		const struct v8_delta *d = &v8_versions.rows[i];

		assert_true(d->source[0]);
		if (d->field_off == V8_TRIED)
			continue;
		assert_int_not_equal(d->value, values[d->field_off]);
		values[d->field_off] = d->value;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			field_offset_comes_from_the_newest_layout_row_up_to_the_v8_version),
		cmocka_unit_test(layout_rows_are_sorted),
		cmocka_unit_test(each_layout_row_changes_the_value_of_its_field),
	};

	return CHECK_RUN(tests);
}
