// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the recorder's protocol against every order in which its stores can become visible:
 * no torn entry is accepted. If any part of the protocol is removed, a torn entry must be
 * accepted.
 */

#include "../check.h"

#include "../../core/flight_ring.h"
#include "../../inspect/flight/fl_slot.h"
#include "model/model.h"

static u64 n_accepted;

/* An entry that the reader accepts at @at must be the one written there, with all its words. */
static bool entry_is_whole(const struct model *m, u64 at)
{
	struct flight_slot slots[FLIGHT_MAX_SLOTS];
	u32 n_slots = flight_n_slots(m->n_words), n;
	u64 entry = at / n_slots;

	n = fl_group_copy(model_ring, m->n_slots - 1, at, slots);
	if (model_is_over() || !n)
		return true;
	n_accepted++;
	if (n != n_slots || slots[0].word[1] >> 32 != entry ||
	    slots[0].word[7] != (m->n_words < 5 ? 0 : model_word(entry, 4)))
		return false;
	for (u32 s = 1; s < n; s++)
		for (u32 i = 1; i < 8; i += 6)
			if (slots[s].word[i] != model_word(entry, 5 + 7 * (s - 1) + i - 1))
				return false;
	return true;
}

/*
 * An entry is known to stay incomplete if next is more than this many slots ahead, as in
 * fl_ring.c.
 */
static u64 proof;

static bool what_was_reserved_comes(const struct model *m, u64 at)
{
	u64 next = flight_load_acquire(&model_ring->next);
	u64 seq = flight_load_acquire(&model_ring->slots[at & (m->n_slots - 1)].word[0]);

	if (model_is_over() || next <= at + proof)
		return true;
	n_accepted++;
	return seq != 0 && seq != FLIGHT_BUSY;
}

static bool is_wrong_anywhere(const struct model *m, bool (*read)(const struct model *, u64))
{
	u64 n = (u64)m->n_entries * flight_n_slots(m->n_words);
	int wrong = 0;

	assert_int_equal(model_write(m), 0);
	n_accepted = 0;
	for (u64 at = 0; at < n && !wrong; at++) {
		wrong = model_read(m, read, at);
		assert_true(wrong >= 0);
	}
	assert_true(n_accepted > 0);
	return wrong;
}

/*
 * Checks entries of one, two and three slots, in rings that they lap at different offsets. An
 * incomplete protocol is tested with entries of one slot, because without a fence more slots
 * have too many executions.
 */
static void check(enum model_order order, enum model_break without, bool is_wrong)
{
	static const u32 shapes[][3] = { { 1, 5, 3 }, { 2, 5, 5 }, { 2, 12, 3 }, { 4, 19, 3 } };

	for (u32 i = 0; i < (is_wrong ? 2 : 4); i++) {
		struct model m = { order, without, shapes[i][0], shapes[i][1], shapes[i][2] };

		if (is_wrong_anywhere(&m, entry_is_whole) != is_wrong)
			fail_msg("ring of %u, %u words: %s", m.n_slots, m.n_words,
				 is_wrong ? "no torn entry was accepted"
					  : "a torn entry was accepted");
	}
}

static void no_entry_is_torn_with_x86_64_memory_order(void **state)
{
	(void)state;
	check(MODEL_TSO, MODEL_WHOLE, false);
}

static void no_entry_is_torn_with_weak_memory_order(void **state)
{
	(void)state;
	check(MODEL_WEAK, MODEL_WHOLE, false);
}

static void entries_are_torn_if_the_writer_does_not_invalidate_the_slot_first(void **state)
{
	(void)state;
	check(MODEL_TSO, MODEL_NO_INVALIDATION, true);
	check(MODEL_WEAK, MODEL_NO_INVALIDATION, true);
}

static void entries_are_torn_if_the_reader_does_not_check_seq_again_after_reading(void **state)
{
	(void)state;
	check(MODEL_TSO, MODEL_NO_RECHECK, true);
	check(MODEL_WEAK, MODEL_NO_RECHECK, true);
}

static void entries_are_torn_with_weak_memory_order_if_any_fence_is_missing(void **state)
{
	(void)state;
	check(MODEL_WEAK, MODEL_NO_FIRST_FENCE, true);
	check(MODEL_WEAK, MODEL_NO_SECOND_FENCE, true);
	check(MODEL_WEAK, MODEL_NO_LOAD_FENCE, true);
	check(MODEL_WEAK, MODEL_NO_ACQUIRE, true);
}

static void compiler_fences_suffice_on_x86_64(void **state)
{
	(void)state;
	check(MODEL_TSO, MODEL_NO_FIRST_FENCE, false);
	check(MODEL_TSO, MODEL_NO_SECOND_FENCE, false);
	check(MODEL_TSO, MODEL_NO_LOAD_FENCE, false);
	check(MODEL_TSO, MODEL_NO_ACQUIRE, false);
}

static void an_entry_is_skipped_only_if_its_writer_never_completes_it(void **state)
{
	static const u32 n_words[] = { 5, 12 };

	(void)state;
	for (u32 i = 0; i < 2; i++) {
		struct model m = { MODEL_WEAK, MODEL_WHOLE, 8, n_words[i], 4 };

		proof = 2ull * flight_n_slots(n_words[i]);
		assert_false(is_wrong_anywhere(&m, what_was_reserved_comes));
		proof = flight_n_slots(n_words[i]);
		assert_true(is_wrong_anywhere(&m, what_was_reserved_comes));
		m.order = MODEL_TSO;
		assert_false(is_wrong_anywhere(&m, what_was_reserved_comes));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_entry_is_torn_with_x86_64_memory_order),
		cmocka_unit_test(no_entry_is_torn_with_weak_memory_order),
		cmocka_unit_test(entries_are_torn_if_the_writer_does_not_invalidate_the_slot_first),
		cmocka_unit_test(
			entries_are_torn_if_the_reader_does_not_check_seq_again_after_reading),
		cmocka_unit_test(entries_are_torn_with_weak_memory_order_if_any_fence_is_missing),
		cmocka_unit_test(compiler_fences_suffice_on_x86_64),
		cmocka_unit_test(an_entry_is_skipped_only_if_its_writer_never_completes_it),
	};

	return CHECK_RUN(tests);
}
