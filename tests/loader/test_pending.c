/* SPDX-License-Identifier: BSD-2-Clause */

/* Tests the queue of pending samples: order, removal from the middle, limit. */

#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../loader/session/pending.h"

static void add(struct pending *p, u64 time_ns, u16 n_frames)
{
	static struct uw_sample s;

	s.time_ns = time_ns;
	s.n_frames = n_frames;
	pending_add(p, &s);
}

static void pending_samples_are_ordered_by_time(void **state)
{
	const u64 times[] = { 5, 1, 9, 3, 7 };
	struct pending p = { 0 };

	(void)state;
	for (size_t i = 0; i < 5; i++)
		add(&p, times[i], 2);
	pending_sort(&p);
	for (u32 i = 0; i < 5; i++)
		assert_int_equal(p.v[i]->time_ns, 2 * i + 1);
	for (u64 until = 0; until < 12; until++)
		assert_int_equal(pending_before(&p, until), until > 9 ? 5 : until / 2);
	pending_deinit(&p);
}

static void samples_can_be_removed_from_the_middle_of_the_pending_samples(void **state)
{
	struct pending p = { 0 };

	(void)state;
	for (u64 i = 0; i < 6; i++)
		add(&p, i, 3);
	for (u32 i = 0; i < 6; i += 2)
		pending_take(&p, i);
	pending_close_up(&p);
	assert_int_equal(p.n, 3);
	for (u32 i = 0; i < 3; i++)
		assert_int_equal(p.v[i]->time_ns, 2 * i + 1);
	pending_take(&p, 2);
	pending_take(&p, 0);
	pending_take(&p, 1);
	pending_close_up(&p);
	assert_int_equal(p.n, 0);
	assert_int_equal(p.bytes, 0);
	assert_int_equal(p.n_dropped, 0);
	pending_deinit(&p);
}

static void samples_above_the_limit_of_pending_bytes_are_dropped_and_counted(void **state)
{
	struct pending p = { 0 };
	u32 len = sizeof(struct uw_sample), most = PENDING_MAX_BYTES / len;

	(void)state;
	for (u32 i = 0; i < most + 10; i++)
		add(&p, i, UW_MAX_FRAMES);
	assert_int_equal(p.n, most);
	assert_int_equal(p.n_dropped, 10);
	pending_take(&p, 0);
	pending_close_up(&p);
	add(&p, 1, UW_MAX_FRAMES); /* it fits again */
	assert_int_equal(p.n, most);
	assert_int_equal(p.n_dropped, 10);
	pending_deinit(&p);
}

static void all_pending_samples_are_counted_if_they_are_dropped_together(void **state)
{
	struct pending p = { 0 };

	(void)state;
	for (u64 i = 0; i < 4; i++)
		add(&p, i, 1);
	pending_give_up(&p);
	assert_int_equal(p.n, 0);
	assert_int_equal(p.bytes, 0);
	assert_int_equal(p.n_dropped, 4);
	pending_deinit(&p);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(pending_samples_are_ordered_by_time),
	cmocka_unit_test(samples_can_be_removed_from_the_middle_of_the_pending_samples),
	cmocka_unit_test(samples_above_the_limit_of_pending_bytes_are_dropped_and_counted),
	cmocka_unit_test(all_pending_samples_are_counted_if_they_are_dropped_together),
};

int main(void)
{
	return CHECK_RUN(tests);
}
