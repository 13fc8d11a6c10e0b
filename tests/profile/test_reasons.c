/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests old spellings of reasons: the old and the current spelling select the same statuses,
 * and unknown words select none.
 */

#include "../check.h"

#include <string.h>

#include "../../inspect/util/array.h"
#include "../../inspect/util/reasons.h"
#include "../../loader/profile/kinds.h"

/* Reasons as Unspool 0.1.0 spelled them. */
static const struct {
	const char *old;
	enum uw_status status;
} respelled[] = {
	{ "caller's frame below stack pointer", UW_E_CFA },
	{ "no method here", UW_F_NO_METHOD },
	{ "unwind information not understood", UW_F_UNWIND_INFO },
	{ "waiting object not known", UW_F_AWAITER_TYPE },
	{ "waiting object unreadable", UW_F_AWAITER_FAULT },
	{ "who waits is unreadable", UW_F_WAITS_FAULT },
	{ "several wait", UW_F_WAITS_SEVERAL },
	{ "more wait", UW_F_WAITS_MORE },
};

static void an_old_spelling_of_a_reason_is_replaced_by_the_current_spelling(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(respelled); i++)
		assert_string_equal(reason_current(respelled[i].old),
				    prof_reason_words(respelled[i].status));
}

static void current_spellings_of_reasons_are_unchanged(void **state)
{
	(void)state;
	for (u32 i = 0; i < UW_N_STATUS; i++)
		assert_ptr_equal(reason_current(prof_reason_words(i)), prof_reason_words(i));
}

static void unknown_reasons_are_unchanged(void **state)
{
	static const char *const words[] = { "", "several", "several waits", "Several wait" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		assert_ptr_equal(reason_current(words[i]), words[i]);
	assert_null(reason_current(NULL));
}

static void each_old_spelling_of_a_reason_maps_directly_to_a_current_spelling(void **state)
{
	(void)state;
	for (const struct reason_alias *a = reason_aliases; a->old; a++) {
		assert_ptr_equal(reason_current(a->now), a->now);
		assert_string_equal(reason_current(a->old), a->now);
	}
}

static void options_accept_old_and_current_spellings_of_reasons(void **state)
{
	static const struct {
		const char *typed, *words;
		bool matches;
	} rows[] = {
		{ "multiple awaiters", "multiple awaiters", true },
		{ "multiple-awaiters", "multiple awaiters", true },
		{ "several wait", "multiple awaiters", true },
		{ "several-wait", "multiple awaiters", true },
		{ "32-bit-code", "32-bit code", true },
		{ "more-wait", "multiple awaiters", false },
		{ "several-waits", "multiple awaiters", false },
		{ "several", "multiple awaiters", false },
		{ "32 bit code", "32-bit code", false },
		{ "", "multiple awaiters", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(reason_matches(rows[i].typed, rows[i].words), rows[i].matches);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_old_spelling_of_a_reason_is_replaced_by_the_current_spelling),
		cmocka_unit_test(current_spellings_of_reasons_are_unchanged),
		cmocka_unit_test(unknown_reasons_are_unchanged),
		cmocka_unit_test(each_old_spelling_of_a_reason_maps_directly_to_a_current_spelling),
		cmocka_unit_test(options_accept_old_and_current_spellings_of_reasons),
	};

	return CHECK_RUN(tests);
}
