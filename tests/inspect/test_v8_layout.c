/* SPDX-License-Identifier: BSD-2-Clause */

/* The table of versions (v8_versions.c). */

#include <stdint.h>

#include "../../inspect/v8/v8_layout.h"
#include "../check.h"

struct v8_layout v8_old_table(u32 version);

static void rows_sum_up_to_the_table_of_ranges(void **state)
{
	(void)state;
	for (u32 major = 6; major < 20; major++)
		for (u32 minor = 0; minor < 12; minor++) {
			struct v8_layout sum, old = v8_old_table(V8_VERSION(major, minor));

			v8_layout_sum(&sum, V8_VERSION(major, minor), &v8_versions);
			assert_memory_equal(&sum, &old, sizeof(sum));
		}
}

static void rows_are_in_order(void **state)
{
	(void)state;
	for (size_t i = 1; i < v8_versions.n; i++) {
		const struct v8_delta *d = &v8_versions.rows[i];

		assert_in_range(d->since, d[-1].since + (d[-1].field_off == V8_TRIED), UINT32_MAX);
	}
}

static void each_row_changes_its_field(void **state)
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
		cmocka_unit_test(rows_sum_up_to_the_table_of_ranges),
		cmocka_unit_test(rows_are_in_order),
		cmocka_unit_test(each_row_changes_its_field),
	};

	return CHECK_RUN(tests);
}
