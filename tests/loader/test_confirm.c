/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests the confirmation of guessed frames by rows that are loaded after the walk. A stack is
 * main > caller > leaf, in one file, for which the walk had no rows. Each test chooses the
 * rows that these functions have.
 */

#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../loader/rows/confirm.h"

#define FILE_ID 3
#define SP 0x7000
#define BASE 0x400000
#define N_PCS 4

/* Offsets of the functions in the file. */
enum { LEAF = 0x100, CALLER = 0x200, MAIN = 0x300, MISSED = 0x400 };

static const struct uw_rule record_by_fp = {
	16, -8, -16, UW_CFA_FP, UW_SAVED_CFA, UW_SAVED_CFA, 0
};
static const struct uw_rule record_by_sp = {
	48, -40, -48, UW_CFA_SP, UW_SAVED_CFA, UW_SAVED_CFA, 0
};
static const struct uw_rule fp_elsewhere = {
	16, -8, -24, UW_CFA_FP, UW_SAVED_CFA, UW_SAVED_CFA, 0
};
static const struct uw_rule record_aside = {
	32, -8, -16, UW_CFA_FP, UW_SAVED_CFA, UW_SAVED_CFA, 0
};
static const struct uw_rule fp_kept = { 16, -8, 0, UW_CFA_SP, UW_SAVED_CFA, UW_SAVED_SAME, 0 };
static const struct uw_rule fp_kept_bare = { 8, -8, 0, UW_CFA_SP, UW_SAVED_CFA, UW_SAVED_SAME, 0 };
static const struct uw_rule record_by_sp_32 = { 48,	      -8,	    -16, UW_CFA_SP,
						UW_SAVED_CFA, UW_SAVED_CFA, 0 };
static const struct uw_rule in_lr = { 0, 0, 0, UW_CFA_SP, UW_SAVED_SAME, UW_SAVED_SAME, 0 };
static const struct uw_rule unknown = { 0 };
static const struct uw_rule root = { .cfa = UW_CFA_ROOT };

/* The rule that a function has now; NULL: none yet. */
struct known {
	const struct uw_rule *leaf, *caller, *main, *missed;
	int slot; /* slot of the return address by the leaf's instruction */
};

static const struct uw_mapping maps[] = {
	{ .start_addr = BASE, .end_addr = BASE + 0x1000, .module = FILE_ID },
	{ .start_addr = BASE + 0x1000,
	  .end_addr = BASE + 0x2000,
	  .module = FILE_ID,
	  .kind = UW_MAP_V8_BUILTINS },
};

static const struct uw_rule *rule_of(const void *data, u32 module, u64 file_off)
{
	const struct known *k = data;

	assert_int_equal(module, FILE_ID);
	switch (file_off) {
	case LEAF:
		return k->leaf;
	case CALLER - 1:
		return k->caller;
	case MAIN - 1:
		return k->main;
	case MISSED - 1:
		return k->missed;
	}
	fail_msg("unexpected look-up of rows at file offset 0x%llx", (unsigned long long)file_off);
	return NULL;
}

static int slot_of(const void *data, u32 module, u64 file_off)
{
	const struct known *k = data;

	assert_int_equal(module, FILE_ID);
	assert_int_equal(file_off, LEAF);
	return k->slot;
}

static struct uw_frame frame(u64 off, u8 flags)
{
	return (struct uw_frame){
		.pc = BASE + off, .a = off, .aux = FILE_ID, .kind = UW_NATIVE, .flags = flags
	};
}

static struct uw_sample *new_sample(void)
{
	const u8 found = UW_FRAME_RA | UW_FRAME_GUESS | UW_FRAME_NO_ROWS;
	struct uw_sample *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->status = UW_T_ROWS_PENDING;
	s->sp = SP;
	s->fp = SP;
	s->n_frames = 3;
	s->frames[0] = frame(LEAF, UW_FRAME_NO_ROWS);
	s->frames[1] = frame(CALLER, found);
	s->frames[2] = frame(MAIN, found);
	return s;
}

/* The result: a bit for each frame that is still a guess, and the status of the walk. */
struct outcome {
	u32 guesses;
	u8 status;
	u64 pcs[N_PCS];
};

static struct outcome confirm(struct uw_sample *s, bool fp_is_record, struct known known)
{
	struct outcome o = {};

	const struct confirm_source from = { fp_is_record, rule_of, slot_of, &known, maps, 2 };
	struct uw_sample *room = calloc(1, sizeof(*room));

	assert_non_null(room);
	s = confirm_guesses(s, &from, room);
	for (u32 i = 0; i < s->n_frames; i++) {
		o.guesses |= (s->frames[i].flags & UW_FRAME_GUESS ? 1u : 0) << i;
		if (i < N_PCS)
			o.pcs[i] = s->frames[i].pc;
	}
	o.status = s->status;
	free(room);
	return o;
}

static void guessed_frames_are_confirmed_or_rejected_by_unwind_rows(void **state)
{
	static const struct row {
		const char *what;
		struct known known;
		bool fp_is_record;
		struct outcome want;
	} rows[] = {
		{ "no function has rows yet",
		  { NULL, NULL, NULL },
		  true,
		  { 6, UW_T_ROWS_PENDING } },
		{ "all functions have rows",
		  { &record_by_fp, &record_by_fp, &root },
		  false,
		  { 0, UW_END } },
		{ "all functions but main have rows",
		  { &record_by_fp, &record_by_fp, NULL },
		  false,
		  { 0, UW_T_ROWS_PENDING } },
		{ "the rows of main do not mark the outermost frame",
		  { &record_by_fp, &record_by_fp, &record_by_fp },
		  false,
		  { 0, UW_T_ROWS_PENDING } },
		{ "the caller has no rows",
		  { &record_by_fp, NULL, &root },
		  false,
		  { 4, UW_T_GUESSED } },
		{ "the leaf has no rows",
		  { NULL, &record_by_fp, &root },
		  false,
		  { 2, UW_T_GUESSED } },
		{ "the leaf has no frame record",
		  { &in_lr, &record_by_fp, &root },
		  true,
		  { 2, UW_T_GUESSED } },
		{ "the leaf has not changed fp",
		  { &fp_kept, &record_by_fp, &root },
		  false,
		  { 2, UW_T_GUESSED } },
		{ "the caller has no frame record",
		  { &record_by_fp, &fp_kept, &root },
		  true,
		  { 4, UW_T_GUESSED } },
		{ "the row of the caller has no rule",
		  { &record_by_fp, &unknown, &root },
		  true,
		  { 4, UW_T_GUESSED } },
		{ "fp is not saved next to the return address",
		  { &fp_elsewhere, &fp_elsewhere, &root },
		  true,
		  { 6, UW_T_GUESSED } },
		{ "fp does not point to the frame record",
		  { &record_aside, &record_aside, &root },
		  true,
		  { 6, UW_T_GUESSED } },
		{ "the caller's fp may be any value",
		  { &record_by_fp, &record_by_sp, &root },
		  false,
		  { 4, UW_T_GUESSED } },
		{ "the caller's fp points to its frame record",
		  { &record_by_fp, &record_by_sp, &root },
		  true,
		  { 0, UW_END } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct uw_sample *s = new_sample();
		struct outcome o;

		s->fp = SP + 0x100;
		o = confirm(s, rows[i].fp_is_record, rows[i].known);
		if (o.guesses != rows[i].want.guesses || o.status != rows[i].want.status)
			fail_msg("%s: guesses %u, status %u", rows[i].what, o.guesses, o.status);
		free(s);
	}
}

/* The sample contains sp and fp of the interrupted function. */
static void the_frame_record_of_the_leaf_is_confirmed_only_if_fp_is_at_sp(void **state)
{
	(void)state;
	for (u64 fp = SP - 16; fp <= SP + 64; fp += 8) {
		struct uw_sample *s = new_sample();
		struct outcome o;

		s->fp = fp;
		o = confirm(s, true, (struct known){ &record_by_sp, &record_by_fp, &root });
		assert_int_equal(o.guesses, fp == SP ? 0 : 2);
		free(s);
	}
}

/*
 * Stacks main > caller > missed > leaf: the walk followed fp from the leaf to caller, so it
 * missed the function in between.
 */
static void a_missed_caller_is_inserted_if_the_leaf_has_no_frame_record(void **state)
{
	static const struct uw_rule leaf_pushed = { 24,	       -8,	     0,
						    UW_CFA_SP, UW_SAVED_CFA, UW_SAVED_SAME,
						    0 };
	static const struct uw_rule leaf_pushed_fp = { 16,	     -8,	   -16, UW_CFA_SP,
						       UW_SAVED_CFA, UW_SAVED_CFA, 0 };
	static const struct uw_rule deep = { 40, -8, 0, UW_CFA_SP, UW_SAVED_CFA, UW_SAVED_SAME, 0 };
	const u64 fp = SP + 0x20, ra = BASE + MISSED;
	const struct row {
		const char *what;
		const struct uw_rule *leaf, *missed;
		u64 lr, words[3];
		bool is_inserted;
	} rows[] = {
		{ "return address at sp", &fp_kept_bare, &record_by_fp, 0, { ra, 1, 2 }, true },
		{ "return address above pushed registers",
		  &leaf_pushed,
		  &record_by_fp,
		  0,
		  { 1, 2, ra },
		  true },
		{ "return address above the saved fp",
		  &leaf_pushed_fp,
		  &record_by_fp,
		  0,
		  { fp, ra, 2 },
		  true },
		{ "return address in lr", &in_lr, &record_by_fp, ra, { 1, 2, 3 }, true },
		{ "frame record at fp by a row relative to sp",
		  &in_lr,
		  &record_by_sp_32,
		  ra,
		  { 1 },
		  true },
		{ "frame record not at fp", &in_lr, &record_by_sp, ra, { 1 }, false },
		{ "saved fp is not the sample's fp",
		  &leaf_pushed_fp,
		  &record_by_fp,
		  0,
		  { 8, ra, 2 },
		  false },
		{ "return address beyond the words of the sample",
		  &deep,
		  &record_by_fp,
		  0,
		  { ra, ra, ra },
		  false },
		{ "a missed function has no frame record",
		  &fp_kept_bare,
		  &fp_kept,
		  0,
		  { ra, 1, 2 },
		  false },
		{ "a missed function has no rows", &fp_kept_bare, NULL, 0, { ra, 1, 2 }, false },
		{ "return address outside of code",
		  &fp_kept_bare,
		  &record_by_fp,
		  0,
		  { BASE - 8, 1, 2 },
		  false },
		{ "return address in a V8 builtin",
		  &fp_kept_bare,
		  &record_by_fp,
		  0,
		  { BASE + 0x1400 },
		  false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct known known = { rows[i].leaf, &record_by_fp, &root, rows[i].missed,
				       CONFIRM_IN_FRAME };
		struct uw_sample *s = new_sample();
		u64 second = BASE + (rows[i].is_inserted ? MISSED : CALLER);
		struct outcome o;

		s->fp = fp;
		s->lr = rows[i].lr;
		memcpy(s->sp_words, rows[i].words, sizeof(s->sp_words));
		o = confirm(s, false, known);
		if (o.pcs[1] != second || o.guesses != (rows[i].is_inserted ? 0 : 2) ||
		    o.status != (rows[i].is_inserted ? UW_END : UW_T_GUESSED))
			fail_msg("%s: 0x%llx, guesses %u", rows[i].what,
				 (unsigned long long)o.pcs[1], o.guesses);
		if (rows[i].is_inserted) {
			assert_int_equal(o.pcs[2], BASE + CALLER);
			assert_int_equal(o.pcs[3], BASE + MAIN);
		}
		free(s);
	}
}

/*
 * In a recursion the return address at sp and the one in the record at fp are equal, so only
 * the instruction shows which of the two slots holds the leaf's return address.
 */
static void the_return_address_slot_is_derived_from_the_instruction_of_the_leaf(void **state)
{
	static const struct row {
		int slot;
		u64 words[2], lr;
		bool is_told, is_inserted;
	} rows[] = {
		{ 0, { BASE + CALLER }, 0, true, false },
		{ 8, { 1, BASE + CALLER }, 0, false, false },
		{ 0, { BASE + MISSED }, 0, false, true },
		{ CONFIRM_IN_FRAME, { BASE + CALLER }, 0, false, true },
		{ CONFIRM_UNKNOWN, { BASE + CALLER }, 0, false, false },
		{ CONFIRM_IN_LR, { BASE + CALLER }, BASE + CALLER, true, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct known known = { &fp_kept_bare, &record_by_fp, &root, &record_by_fp,
				       rows[i].slot };
		struct uw_sample *s = new_sample();
		struct outcome o;

		s->fp = SP + 0x100;
		s->lr = rows[i].lr;
		memcpy(s->sp_words, rows[i].words, sizeof(rows[i].words));
		o = confirm(s, false, known);
		if (o.guesses != (rows[i].is_told || rows[i].is_inserted ? 0 : 2) ||
		    (o.pcs[2] == BASE + CALLER) != rows[i].is_inserted)
			fail_msg("row %zu: guesses %u, 0x%llx", i, o.guesses,
				 (unsigned long long)o.pcs[2]);
		free(s);
	}
}

static void no_frame_is_inserted_into_a_sample_with_the_maximum_number_of_frames(void **state)
{
	struct uw_sample *s = new_sample();
	struct outcome o;

	(void)state;
	for (u32 i = 2; i < UW_MAX_FRAMES; i++)
		s->frames[i] = s->frames[1];
	s->n_frames = UW_MAX_FRAMES;
	s->sp_words[0] = BASE + MISSED;
	o = confirm(s, false,
		    (struct known){ &fp_kept_bare, &record_by_fp, &root, &record_by_fp,
				    CONFIRM_IN_FRAME });
	assert_int_equal(o.pcs[1], BASE + CALLER);
	free(s);
}

static void a_guessed_frame_is_not_confirmed_if_its_callee_did_not_lack_unwind_rows(void **state)
{
	struct uw_sample *s = new_sample();
	struct outcome o;

	(void)state;
	s->frames[0].flags = 0;
	s->frames[1].kind = UW_DOTNET_METHOD;
	o = confirm(s, true, (struct known){ &record_by_fp, &record_by_fp, &root });
	assert_int_equal(o.guesses, 6);
	free(s);
}

static void statuses_other_than_guessed_and_rows_pending_are_unchanged(void **state)
{
	static const u8 statuses[] = { UW_T_UNKNOWN_PROCESS, UW_T_UNKNOWN_PC, UW_T_NO_ROW,
				       UW_E_FAULT, UW_T_DEPTH };

	(void)state;
	for (size_t i = 0; i < sizeof(statuses); i++) {
		struct uw_sample *s = new_sample();
		struct outcome o;

		s->status = statuses[i];
		o = confirm(s, true, (struct known){ &record_by_fp, &record_by_fp, &root });
		assert_int_equal(o.status, statuses[i]);
		free(s);
	}
}

static void samples_with_few_or_no_frames_are_accepted(void **state)
{
	(void)state;
	for (u16 n = 0; n <= 3; n++)
		for (u16 n_kernel = 0; n_kernel <= n; n_kernel++) {
			struct uw_sample *s = new_sample();

			s->n_frames = n;
			s->n_kernel = n_kernel;
			confirm(s, true, (struct known){ NULL, NULL, NULL });
			assert_int_equal(s->status, UW_T_ROWS_PENDING);
			free(s);
		}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(guessed_frames_are_confirmed_or_rejected_by_unwind_rows),
	cmocka_unit_test(the_frame_record_of_the_leaf_is_confirmed_only_if_fp_is_at_sp),
	cmocka_unit_test(a_missed_caller_is_inserted_if_the_leaf_has_no_frame_record),
	cmocka_unit_test(the_return_address_slot_is_derived_from_the_instruction_of_the_leaf),
	cmocka_unit_test(no_frame_is_inserted_into_a_sample_with_the_maximum_number_of_frames),
	cmocka_unit_test(a_guessed_frame_is_not_confirmed_if_its_callee_did_not_lack_unwind_rows),
	cmocka_unit_test(statuses_other_than_guessed_and_rows_pending_are_unchanged),
	cmocka_unit_test(samples_with_few_or_no_frames_are_accepted),
};

int main(void)
{
	return CHECK_RUN(tests);
}
