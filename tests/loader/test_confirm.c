/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Guesses that rows confirm later. A stack is main > caller > leaf, in one file, of which the
 * walk had no rows; what the rows say of each function is a test's.
 */

#include "../check.h"

#include <stdlib.h>
#include <string.h>

#include "../../loader/session/confirm.h"

#define FILE_ID 3
#define SP 0x7000

/* Offsets in the file. */
enum { LEAF = 0x100, CALLER = 0x200, MAIN = 0x300 };

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
static const struct uw_rule in_lr = { 0, 0, 0, UW_CFA_SP, UW_SAVED_SAME, UW_SAVED_SAME, 0 };
static const struct uw_rule unknown = { 0 };
static const struct uw_rule root = { .cfa = UW_CFA_ROOT };

/* What the rows say by now; NULL: still nothing. */
struct known {
	const struct uw_rule *leaf, *caller, *main;
};

static const struct uw_rule *rule_of(const void *rows, u32 module, u64 file_off)
{
	const struct known *k = rows;

	assert_int_equal(module, FILE_ID);
	switch (file_off) {
	case LEAF:
		return k->leaf;
	case CALLER - 1:
		return k->caller;
	case MAIN - 1:
		return k->main;
	}
	fail_msg("nobody is at 0x%llx", (unsigned long long)file_off);
	return NULL;
}

static struct uw_frame frame(u64 off, u8 flags)
{
	return (struct uw_frame){
		.pc = 0x400000 + off, .a = off, .aux = FILE_ID, .kind = UW_NATIVE, .flags = flags
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

/* Which frames stay guesses, bit by bit; and how the walk has ended then. */
struct outcome {
	u32 guesses;
	u8 status;
};

static struct outcome confirm(struct uw_sample *s, bool fp_is_record, struct known known)
{
	struct outcome o = {};

	confirm_guesses(s, fp_is_record, rule_of, &known);
	for (u32 i = 0; i < s->n_frames; i++)
		o.guesses |= (s->frames[i].flags & UW_FRAME_GUESS ? 1u : 0) << i;
	o.status = s->status;
	return o;
}

static void what_rows_say_decides(void **state)
{
	static const struct row {
		const char *what;
		struct known known;
		bool fp_is_record;
		struct outcome want;
	} rows[] = {
		{ "nothing is known yet", { NULL, NULL, NULL }, true, { 6, UW_T_ROWS_PENDING } },
		{ "all of it", { &record_by_fp, &record_by_fp, &root }, false, { 0, UW_END } },
		{ "all but the root",
		  { &record_by_fp, &record_by_fp, NULL },
		  false,
		  { 0, UW_T_ROWS_PENDING } },
		{ "the last is no root",
		  { &record_by_fp, &record_by_fp, &record_by_fp },
		  false,
		  { 0, UW_T_ROWS_PENDING } },
		{ "not the caller", { &record_by_fp, NULL, &root }, false, { 4, UW_T_GUESSED } },
		{ "not the leaf", { NULL, &record_by_fp, &root }, false, { 2, UW_T_GUESSED } },
		{ "the leaf keeps no record",
		  { &in_lr, &record_by_fp, &root },
		  true,
		  { 2, UW_T_GUESSED } },
		{ "the leaf has another's fp",
		  { &fp_kept, &record_by_fp, &root },
		  false,
		  { 2, UW_T_GUESSED } },
		{ "a caller keeps no record",
		  { &record_by_fp, &fp_kept, &root },
		  true,
		  { 4, UW_T_GUESSED } },
		{ "nobody knows the caller",
		  { &record_by_fp, &unknown, &root },
		  true,
		  { 4, UW_T_GUESSED } },
		{ "fp is saved elsewhere",
		  { &fp_elsewhere, &fp_elsewhere, &root },
		  true,
		  { 6, UW_T_GUESSED } },
		{ "fp leads past the record",
		  { &record_aside, &record_aside, &root },
		  true,
		  { 6, UW_T_GUESSED } },
		{ "a caller's fp may be anything",
		  { &record_by_fp, &record_by_sp, &root },
		  false,
		  { 4, UW_T_GUESSED } },
		{ "a caller's fp leads to it",
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

/* Of the interrupted function it is known where sp and fp are. */
static void a_leafs_record_is_where_its_registers_say(void **state)
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

static void what_the_walk_had_rows_of_stays_as_it_is(void **state)
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

static void other_ends_stay_what_they_were(void **state)
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

static void any_number_of_frames_will_do(void **state)
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
	cmocka_unit_test(what_rows_say_decides),
	cmocka_unit_test(a_leafs_record_is_where_its_registers_say),
	cmocka_unit_test(what_the_walk_had_rows_of_stays_as_it_is),
	cmocka_unit_test(other_ends_stay_what_they_were),
	cmocka_unit_test(any_number_of_frames_will_do),
};

int main(void)
{
	return CHECK_RUN(tests);
}
