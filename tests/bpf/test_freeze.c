// SPDX-License-Identifier: BSD-2-Clause

/*
 * The BPF program that captures reads, with the flight recorder of user space: it
 * must send only the log of the walk that froze the ring.
 */

#include "world.h"

#include "../flight/rings.h"

static struct uw_log_buffer buffers[N_CPUS], sent_log;
static struct fl_ring ring;

/* Sets up a complete walk and rings that freeze if a walk ends with a status in mask @freeze_on. */
static void freeze_begin(u64 freeze_on)
{
	world_begin();
	memset(&sent_log, 0, sizeof(sent_log));
	fake.arrays[1] = (struct fake_map){ &uw_logs, buffers, sizeof(buffers[0]), N_CPUS };
	fake.sent[0].bytes = (u8 *)&sent_log;
	fake.sent[1].bytes = (u8 *)&w.sample;
	ring = ring_new(256);
	control.freeze_on = freeze_on;
}

static void freeze_end(void)
{
	ring_free(&ring);
	world_end();
}

static void log_of_a_walk_is_sent_if_the_walk_freezes_the_ring(void **state)
{
	(void)state;
	freeze_begin(1ull << UW_END);
	run();
	assert_int_equal(fake.n_sent, 2);
	assert_ptr_equal(fake.sent[0].ring, &uw_log_ring);
	assert_ptr_equal(fake.sent[1].ring, &uw_ring);
	assert_int_equal(sent_log.log.time_ns, fake.now_ns);
	freeze_end();
}

static void walk_that_does_not_freeze_the_ring_sends_only_a_sample(void **state)
{
	(void)state;
	freeze_begin(~(1ull << UW_END));
	run();
	assert_int_equal(fake.n_sent, 1);
	assert_ptr_equal(fake.sent[0].ring, &uw_ring);
	assert_int_equal(counters->no_room, 0);
	freeze_end();
}

static void no_second_log_is_sent_while_the_ring_is_frozen(void **state)
{
	(void)state;
	freeze_begin(1ull << UW_END);
	run();
	fake.n_sent = 0;
	fake.now_ns++;
	fake.sent[0].bytes = (u8 *)&w.sample;
	run();
	assert_int_equal(fake.n_sent, 1);
	assert_ptr_equal(fake.sent[0].ring, &uw_ring);
	freeze_end();
}

static void walk_recorded_after_the_freeze_sends_no_log(void **state)
{
	(void)state;
	freeze_begin(1ull << UW_E_FAULT);
	((struct flight_ring *)ring.ring)->frozen_epoch = 1;
	control.post = 256; /* so that this walk is still recorded */
	fake.sent[0].bytes = (u8 *)&w.sample;
	run();
	assert_int_equal(ring.ring->begin_ns, fake.now_ns);
	assert_int_equal(fake.n_sent, 1);
	freeze_end();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(log_of_a_walk_is_sent_if_the_walk_freezes_the_ring),
		cmocka_unit_test(walk_that_does_not_freeze_the_ring_sends_only_a_sample),
		cmocka_unit_test(no_second_log_is_sent_while_the_ring_is_frozen),
		cmocka_unit_test(walk_recorded_after_the_freeze_sends_no_log),
	};

	return CHECK_RUN(tests);
}
