// SPDX-License-Identifier: BSD-2-Clause

/* Tests rings and their readers: order, loss, freezing; every slot is accounted for. */

#include "../check.h"
#include "rings.h"

#include "../../core/uw_status.h"

#include <errno.h>

static u64 n_words_of(u64 number)
{
	return 1 + number * 7 % FLIGHT_MAX_WORDS;
}

static void assert_known(const struct fl_entry *e, u64 number)
{
	assert_int_equal(e->took_ns, (u32)number);
	assert_int_equal(e->n_words, n_words_of(number));
	for (u32 i = 0; i < FLIGHT_MAX_WORDS; i++)
		assert_int_equal(e->d[i], i < e->n_words ? known_word(number, i) : 0);
}

/* Checks that every written slot was read, counted as lost, or is still ahead of the reader. */
static void assert_accounted(const struct fl_ring *r, const struct fl_cursor *c)
{
	assert_int_equal(c->read + c->lost, c->at);
	assert_true(c->at <= r->ring->next);
}

static void entries_are_read_back_unchanged(void **state)
{
	struct fl_ring r = ring_new(1024);
	struct fl_cursor c = { 0 };
	struct fl_entry e;

	(void)state;
	assert_int_equal(fl_ring_read(&r, &c, &e), FL_END);
	for (u64 n = 0; n < 5000; n++) {
		put_known(fl_thread.ring, n, (u32)n_words_of(n));
		assert_int_equal(fl_ring_read(&r, &c, &e), FL_ENTRY);
		assert_known(&e, n);
		assert_int_equal(fl_ring_read(&r, &c, &e), FL_END);
		assert_accounted(&r, &c);
	}
	assert_int_equal(c.lost, 0);
	ring_free(&r);
}

/* Writes entries of every size at every slot of the ring, so that each wraps around the end. */
static void entries_of_all_sizes_that_wrap_at_any_slot_are_read_back_unchanged(void **state)
{
	struct fl_ring r = ring_new(32);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u64 at = 0;

	(void)state;
	for (u32 n_words = 1; n_words <= FLIGHT_MAX_WORDS; n_words++)
		for (u32 i = 0; i < 32; i++, at++) {
			u64 place = c.at;

			put_known(fl_thread.ring, at, n_words);
			assert_int_equal(fl_ring_read(&r, &c, &e), FL_ENTRY);
			assert_int_equal(e.index, place);
			assert_int_equal(e.n_words, n_words);
			assert_int_equal(e.n_slots, flight_n_slots(n_words));
			for (u32 k = 0; k < n_words; k++)
				assert_int_equal(e.d[k], known_word(at, k));
			if (e.n_slots % 2 == 0) /* so that entries begin at odd slots, too */
				put_known(fl_thread.ring, 0, 1), fl_ring_read(&r, &c, &e);
		}
	assert_int_equal(c.lost, 0);
	ring_free(&r);
}

/* A reader sleeps while the ring wraps many times. */
static void entries_overwritten_while_the_reader_sleeps_are_counted_as_lost(void **state)
{
	struct fl_ring r = ring_new(64);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u64 n = 0, n_read = 0, last = 0;

	(void)state;
	for (u32 round = 1; round < 200; round++) {
		for (u32 i = 0; i < round; i++, n++)
			put_known(fl_thread.ring, n, (u32)n_words_of(n));
		while (fl_ring_read(&r, &c, &e) == FL_ENTRY) {
			assert_known(&e, e.took_ns);
			assert_true(n_read == 0 || e.took_ns > last);
			last = e.took_ns;
			n_read++;
			assert_accounted(&r, &c);
		}
		assert_int_equal(c.at, r.ring->next);
		assert_int_equal(last, n - 1);
	}
	assert_true(c.lost > 0 && n_read > 0);
	ring_free(&r);
}

static void a_full_ring_is_read_from_the_oldest_complete_entry(void **state)
{
	struct fl_ring r = ring_new(64);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u64 n_read = 0;

	(void)state;
	for (u64 n = 0; n < 1000; n++)
		put_known(fl_thread.ring, n, 5);
	while (fl_ring_read(&r, &c, &e) == FL_ENTRY)
		assert_int_equal(e.index, 1000 - 64 + n_read++);
	assert_int_equal(n_read, 64);
	assert_int_equal(c.lost, 1000 - 64);
	ring_free(&r);
}

static void the_reader_waits_for_an_entry_that_is_being_written(void **state)
{
	struct fl_ring r = ring_new(64);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u64 n;

	(void)state;
	put_known(fl_thread.ring, 0, 5);
	n = reserve(fl_thread.ring, 2);
	assert_int_equal(fl_ring_read(&r, &c, &e), FL_ENTRY);
	for (int i = 0; i < 100; i++)
		assert_int_equal(fl_ring_read(&r, &c, &e), FL_IN_FLIGHT);
	assert_int_equal(c.lost, 0);
	fl_thread.ring->slots[n].word[1] = 1 << 12 | 6 << 16;
	flight_publish(fl_thread.ring, n, fl_thread.ring->slots[n].word, 2);
	assert_int_equal(fl_ring_read(&r, &c, &e), FL_ENTRY);
	assert_int_equal(e.n_slots, 2);
	ring_free(&r);
}

static void an_unfinished_entry_is_skipped_and_counted_as_lost(void **state)
{
	struct fl_ring r = ring_new(128);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u64 n_read = 0;

	(void)state;
	put_known(fl_thread.ring, 0, 5);
	reserve(fl_thread.ring, 3);
	for (u64 n = 1; n < 60; n++)
		put_known(fl_thread.ring, n, 5);
	while (fl_ring_read(&r, &c, &e) == FL_ENTRY)
		n_read++;
	assert_int_equal(n_read, 60);
	assert_int_equal(c.lost, 3);
	assert_accounted(&r, &c);
	ring_free(&r);
}

static void the_reader_does_not_wait_for_an_idle_ring(void **state)
{
	struct fl_ring r = ring_new(64);
	struct fl_cursor c = { .is_final = true };
	struct fl_entry e;

	(void)state;
	put_known(fl_thread.ring, 0, 5);
	reserve(fl_thread.ring, 3);
	assert_int_equal(fl_ring_read(&r, &c, &e), FL_ENTRY);
	assert_int_equal(fl_ring_read(&r, &c, &e), FL_END);
	assert_int_equal(c.lost, 3);
	ring_free(&r);
}

static void reading_a_ring_of_random_bytes_terminates(void **state)
{
	struct fl_ring r = ring_new(32);
	struct flight_ring *w = fl_thread.ring;
	struct fl_entry e;
	u64 x = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		struct fl_cursor c = { .is_final = round & 1 };

		for (u64 i = 0; i < 32 * 8; i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			w->slots[i / 8].word[i % 8] = i % 8 ? x : flight_seq(i / 8) | (x >> 40 & 1);
		}
		w->next = round % 3 ? 32 : x;
		for (int i = 0; i < 100 && fl_ring_read(&r, &c, &e) == FL_ENTRY; i++) {
			assert_true(e.n_words <= FLIGHT_MAX_WORDS && e.phase < 4);
			assert_accounted(&r, &c);
		}
	}
	ring_free(&r);
}

static void invalid_ring_lengths_are_rejected(void **state)
{
	static const u64 bad[] = { 0, 1, 63, 64, 127, 129, 64 * 4, 64 * 6, 64 * 8, ~0ull, ~63ull };
	_Alignas(64) static u64 memory[64];
	struct fl_ring r;

	(void)state;
	for (u32 i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(fl_ring_init(memory, bad[i], &r), -EBADMSG);
	assert_int_equal(fl_ring_init(memory, 128, &r), 0);
	assert_int_equal(fl_ring_init(memory, 64 * 5, &r), 0);
	assert_int_equal(r.n_slots, 4);
}

/* Records a walk of three steps. */
static void walk(u32 pid, u32 status)
{
	u64 d[5] = { 1, 2, 3, 4, 5 };

	flight_begin((u64)pid << 32 | pid, 0x1000, 0x2000, 0x3000, 7);
	for (int i = 0; i < 3; i++)
		flight_event(FLIGHT_STEP, FLIGHT_START, (u32)i, d, 5);
	flight_end(status, 3, 0, 9, 0);
}

static void no_entry_is_written_for_an_event_whose_mask_bit_is_clear(void **state)
{
	static const u64 masks[][2] = { /* mask, slots per walk */
					{ 0, 0 },
					{ 1 << FLIGHT_BEGIN, 1 },
					{ 1 << FLIGHT_STEP, 3 },
					{ 1 << FLIGHT_BEGIN | 1 << FLIGHT_END, 2 },
					{ ~0ull, 5 }
	};
	struct fl_ring r = ring_new(64);
	u64 before;

	(void)state;
	for (u32 i = 0; i < 5; i++) {
		control.mask = masks[i][0];
		before = r.ring->next;
		walk(1, UW_END);
		assert_int_equal(r.ring->next - before, masks[i][1]);
	}
	ring_free(&r);
}

static void a_ring_freezes_after_the_walk_that_triggers_it(void **state)
{
	struct fl_ring r = ring_new(64);
	u64 frozen;

	(void)state;
	control.freeze_on = 1 << UW_T_NO_ROW;
	walk(1, UW_END);
	walk(1, UW_T_NO_ROW);
	frozen = r.ring->next;
	assert_int_equal(r.ring->frozen, frozen);
	assert_int_equal(frozen, 5 + 5 + 1); /* two walks, and the one that triggers */
	walk(1, UW_END);
	walk(1, UW_T_NO_ROW);
	assert_int_equal(r.ring->next, frozen);
	assert_int_equal(r.ring->suppressed, 2);
	control.epoch++;
	walk(1, UW_END);
	assert_int_equal(r.ring->next, frozen + 5);
	ring_free(&r);
}

static void a_ring_freezes_at_the_end_of_a_walk_after_the_requested_slots_are_written(void **state)
{
	(void)state;
	for (u64 post = 0; post < 17; post++) {
		struct fl_ring r = ring_new(64);

		control.freeze_on = 1 << UW_T_NO_ROW;
		control.post = post;
		walk(1, UW_T_NO_ROW);
		for (int i = 0; i < 10; i++)
			walk(1, UW_END);
		assert_int_equal(r.ring->next - r.ring->frozen, (post + 4) / 5 * 5);
		ring_free(&r);
	}
}

static void a_second_trigger_does_not_move_the_mark_of_the_first_trigger(void **state)
{
	struct fl_ring r = ring_new(64);
	u64 frozen;

	(void)state;
	control.freeze_on = 1 << UW_T_NO_ROW;
	control.post = 20;
	walk(1, UW_T_NO_ROW);
	frozen = r.ring->frozen;
	walk(1, UW_T_NO_ROW);
	assert_int_equal(r.ring->frozen, frozen);
	assert_int_equal(r.ring->next, frozen + 5); /* one walk; no second trigger */
	ring_free(&r);
}

static void a_stopped_recorder_records_no_walk(void **state)
{
	struct fl_ring r = ring_new(64);

	(void)state;
	control.is_stopped = 1;
	walk(1, UW_END);
	assert_int_equal(r.ring->next, 0);
	assert_int_equal(r.ring->suppressed, 1);
	control.is_stopped = 0;
	walk(1, UW_END);
	assert_int_equal(r.ring->next, 5);
	ring_free(&r);
}

static void walks_are_numbered_and_a_long_duration_is_stored_as_the_maximum(void **state)
{
	struct fl_ring r = ring_new(64);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u32 n = 0;

	(void)state;
	control.mask = 1 << FLIGHT_END;
	for (u32 i = 0; i < 3; i++) {
		flight_begin(1ull << 32, 0, 0, 0, 0);
		fl_thread.ring->begin_ns -= i == 2 ? 1ull << 33 : 0;
		flight_end(UW_END, 1, 0, 1, 0);
	}
	while (fl_ring_read(&r, &c, &e) == FL_ENTRY) {
		assert_int_equal(e.walk, ++n);
		if (n < 3)
			assert_true(e.took_ns < FLIGHT_NO_TIME - 1);
		else
			assert_int_equal(e.took_ns, FLIGHT_NO_TIME - 1);
	}
	assert_int_equal(n, 3);
	ring_free(&r);
}

static void only_walks_of_the_requested_process_are_recorded(void **state)
{
	struct fl_ring r = ring_new(64);

	(void)state;
	control.pid = 7;
	walk(8, UW_END);
	assert_int_equal(r.ring->next, 0);
	walk(7, UW_END);
	assert_int_equal(r.ring->next, 5);
	assert_int_equal(r.ring->suppressed, 0);
	ring_free(&r);
}

static void a_full_ring_drops_and_counts_new_entries_if_keep_first_is_set(void **state)
{
	struct fl_ring r = ring_new(64);
	struct fl_cursor c = { 0 };
	struct fl_entry e;
	u64 n_read = 0;

	(void)state;
	control.keep_first = 1;
	for (int i = 0; i < 20; i++)
		walk(1, UW_END);
	while (fl_ring_read(&r, &c, &e) == FL_ENTRY)
		assert_int_equal(e.index, n_read++);
	assert_int_equal(n_read, 64);
	assert_int_equal(c.lost, 0);
	assert_int_equal(r.ring->dropped, 100 - 64);
	ring_free(&r);
}

static void a_copied_ring_has_the_same_entries(void **state)
{
	struct fl_ring r = ring_new(64), copy = ring_new(64);
	struct fl_cursor c = { 0 }, d = { .is_final = true };
	struct fl_entry e, f;

	(void)state;
	fl_thread.ring = (struct flight_ring *)r.ring;
	for (u64 n = 0; n < 100; n++)
		put_known(fl_thread.ring, n, (u32)n_words_of(n));
	reserve(fl_thread.ring, 1);
	fl_ring_copy(&r, (struct flight_ring *)copy.ring);
	while (fl_ring_read(&r, &c, &e) == FL_ENTRY) {
		assert_int_equal(fl_ring_read(&copy, &d, &f), FL_ENTRY);
		assert_memory_equal(&e, &f, sizeof(e));
	}
	assert_int_equal(fl_ring_read(&copy, &d, &f), FL_END);
	assert_int_equal(d.lost, c.lost + 1);
	ring_free(&r);
	ring_free(&copy);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_read_back_unchanged),
		cmocka_unit_test(
			entries_of_all_sizes_that_wrap_at_any_slot_are_read_back_unchanged),
		cmocka_unit_test(entries_overwritten_while_the_reader_sleeps_are_counted_as_lost),
		cmocka_unit_test(a_full_ring_is_read_from_the_oldest_complete_entry),
		cmocka_unit_test(the_reader_waits_for_an_entry_that_is_being_written),
		cmocka_unit_test(an_unfinished_entry_is_skipped_and_counted_as_lost),
		cmocka_unit_test(the_reader_does_not_wait_for_an_idle_ring),
		cmocka_unit_test(reading_a_ring_of_random_bytes_terminates),
		cmocka_unit_test(invalid_ring_lengths_are_rejected),
		cmocka_unit_test(no_entry_is_written_for_an_event_whose_mask_bit_is_clear),
		cmocka_unit_test(a_ring_freezes_after_the_walk_that_triggers_it),
		cmocka_unit_test(
			a_ring_freezes_at_the_end_of_a_walk_after_the_requested_slots_are_written),
		cmocka_unit_test(a_second_trigger_does_not_move_the_mark_of_the_first_trigger),
		cmocka_unit_test(a_stopped_recorder_records_no_walk),
		cmocka_unit_test(walks_are_numbered_and_a_long_duration_is_stored_as_the_maximum),
		cmocka_unit_test(only_walks_of_the_requested_process_are_recorded),
		cmocka_unit_test(a_full_ring_drops_and_counts_new_entries_if_keep_first_is_set),
		cmocka_unit_test(a_copied_ring_has_the_same_entries),
	};

	return CHECK_RUN(tests);
}
