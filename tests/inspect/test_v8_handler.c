/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The location of the bytecode offset in bytecode handlers. The handlers are hand-made from V8's
 * instruction sequences, and the frame's slot is at fp - 40. For each byte of a handler, a letter
 * gives the location of the offset, derived by hand from the instructions:
 *
 *	s	in the slot
 *	0 to 9	in r9, which is 0 to 9 too large
 *	a to c	in word 0 to 2 of the handler's own frame, downwards from fp - 24
 *	.	nowhere
 *
 * If several locations hold the offset, the letter is the first of them in this list.
 */

#include <stdlib.h>
#include <string.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../check.h"

#define SLOT_OFF 40
#define FRAME "\x55\x48\x89\xe5" /* push %rbp; mov %rsp, %rbp */
#define NOP "\x8b\xc1" /* mov %ecx, %eax */
#define DISPATCH "\xff\xe1" /* jmp *%rcx */
#define CALL "\xe8\x00\x00\x00\x00"
#define LOSE "\x45\x33\xc9" /* xor %r9d, %r9d */
#define SAVE "\x4c\x89\x4d\xe8" /* mov %r9, -0x18(%rbp) */
#define LOAD "\x4c\x8b\x4d\xe8" /* mov -0x18(%rbp), %r9 */
#define TO_SLOT "\x44\x89\x4d\xdc" /* mov %r9d, -0x24(%rbp) */

static const struct row {
	const char *test, *code, *places;
	size_t len;
} rows[] = {
#define ROW(test, code, places)                                                                    \
	{                                                                                          \
		test, code, places, sizeof(code) - 1                                               \
	}
	/* add $3, %r9 */
	ROW("it_is_in_r9_until_the_next_one_is", NOP "\x49\x83\xc1\x03" DISPATCH, "00000033"),
	/* lea 3(%r9), %r9 */
	ROW("an_address_that_is_computed_is_a_sum", "\x4d\x8d\x49\x03" DISPATCH, "000033"),
	/* mov %r9, %r8; ...; mov %r8, %r9 */
	ROW("a_copy_that_comes_back_counts", "\x4d\x89\xc8" LOSE "\x4d\x89\xc1\xcc", "000000...0"),
	/* sub %r8, %r9 */
	ROW("of_a_jump_the_next_bytecodes_counts", "\x4d\x29\xc1" NOP DISPATCH, "0000000"),
	/* je to the dispatch */
	ROW("not_where_there_are_two_ways_to_the_next", "\x4d\x29\xc1\x74\x00" DISPATCH, "000..00"),
	/* mov %rbp, %rdx; movl $0, -0x28(%rdx); mov %r9d, -0x24(%rdx) */
	ROW("the_slot_counts_once_it_is_written",
	    "\x48\x89\xea\xc7\x42\xd8\x00\x00\x00\x00\x44\x89\x4a\xdc\x90", "00000000000000s"),
	/* add $1, %r9 */
	ROW("another_value_in_the_slot_is_none", "\x49\x83\xc1\x01" TO_SLOT LOSE "\x90",
	    "00001111111."),
	/* lea -1(%r9), %r8; mov %r8d, -0x24(%rbp) */
	ROW("the_offset_of_the_prefix_in_the_slot_counts",
	    "\x4d\x8d\x41\xff\x44\x89\x45\xdc" LOSE "\x90", "00000000ssss"),
	/* lea -2(%r9), %r8; mov %r8d, -0x24(%rbp) */
	ROW("the_offset_before_the_prefix_does_not", "\x4d\x8d\x41\xfe\x44\x89\x45\xdc" LOSE "\x90",
	    "00000000000."),
	/* mov %eax, -0x24(%rbp) */
	ROW("the_slot_can_lose_it_again", TO_SLOT "\x89\x45\xdc\x90", "0000sss0"),
	ROW("what_is_saved_outlasts_a_call", FRAME SAVE CALL LOAD "\x90", "0000000000000aaaa0"),
	/* mov %rax, -0x18(%rbp) */
	ROW("what_is_overwritten_is_not_saved", FRAME SAVE "\x48\x89\x45\xe8" LOSE "\x90",
	    "000000000000000."),
	/* mov %al, -0x15(%rbp) */
	ROW("nor_is_what_is_overwritten_in_part", FRAME SAVE "\x88\x45\xeb" LOSE "\x90",
	    "00000000000000."),
	/* mov %r9, -0x28(%rbp) saves in the third word; ret */
	ROW("three_words_are_taken", FRAME "\x4c\x89\x4d\xd8" LOSE "\xc3", "00000000000c"),
	ROW("without_a_frame_nothing_is_saved", SAVE LOSE "\xc3", "0000000."),
	/* add $4, %r9 */
	ROW("a_call_keeps_what_is_read_after_it", CALL "\x49\x83\xc1\x04" DISPATCH,
	    "000000000"
	    "44"),
	ROW("a_call_may_change_what_is_not", CALL "\xc3", "00000."),
	/* mov %r8, %r9 after a call, which need not preserve r8 */
	ROW("a_call_changes_what_it_returns_in", "\x4c\x89\xc8" CALL "\x49\x89\xc1\x90",
	    "00000000"
	    "...."),
	/* mov %rbp, %rdx; call; mov %r9d, -0x24(%rdx) */
	ROW("a_call_keeps_a_frame_in_a_register_it_may_return_in",
	    "\x48\x89\xea" CALL "\x44\x89\x4a\xdc\x90", "000000000000s"),
	/* test %eax, %eax; je over add $2, %r9 */
	ROW("two_ways_that_do_not_agree_leave_nothing", "\x85\xc0\x74\x04\x49\x83\xc1\x02\x90",
	    "00000000."),
	ROW("two_ways_that_agree_leave_it", "\x85\xc0\x74\x02" NOP "\x90", "0000000"),
	ROW("the_slot_is_not_in_the_own_frame", FRAME TO_SLOT LOSE "\x90", "00000000000."),
	/* mov %rbp, %rsp; pop %rbp */
	ROW("behind_the_own_frame_is_the_functions", FRAME "\x48\x89\xec\x5d" TO_SLOT "\x90",
	    "000000000000s"),
	/* mov (%rbp), %rdx; mov %r9d, -0x24(%rdx) */
	ROW("the_own_frame_leads_to_the_functions", FRAME "\x48\x8b\x55\x00\x44\x89\x4a\xdc\x90",
	    "000000000000s"),
	/* mov %rsp, %rbp without a preceding push */
	ROW("a_frame_begins_with_the_callers_fp", "\x48\x89\xe5" SAVE LOSE "\xc3", "0000000000."),
	/* xor %ebp, %ebp before the frame is set up */
	ROW("and_the_callers_fp_is_the_functions", "\x33\xed" FRAME SAVE LOSE "\xc3",
	    "0000000000000."),
	/* jmp over unreachable code */
	ROW("code_that_nothing_leads_to_has_nothing", "\xeb\x01\x90\x90", "00.0"),
};

static char letter(const struct v8_place *p)
{
	if (p->in_slot)
		return 's';
	if (p->in_register != V8_ABSENT)
		return p->in_register >= 0 && p->in_register < 10 ? (char)('0' + p->in_register)
								  : '?';
	for (int i = 0; i < V8_SAVED_WORDS; i++)
		if (p->saved[i] != V8_ABSENT)
			return p->saved[i] ? '?' : (char)('a' + i);
	return '.';
}

static void location_of_the_bytecode_offset_is_found_at_each_instruction(void **state)
{
	const struct row *row = *state;
	struct v8_place places[64];
	char text[64] = "";

	assert_int_equal(row->len, strlen(row->places));
	assert_int_equal(
		v8_x86_64.handler_places((const u8 *)row->code, (u32)row->len, SLOT_OFF, places),
		0);
	for (size_t i = 0; i < row->len; i++)
		text[i] = letter(&places[i]);
	assert_string_equal(text, row->places);
}

/* Truncated handlers and random bytes: no byte outside the buffers is accessed. */
static void analysis_of_random_bytes_as_a_handler_stays_within_bounds(void **state)
{
	unsigned int seed = 1;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (u32 len = 0; len < rows[i].len; len++) {
			u8 *code = malloc(len + 1);
			struct v8_place *places = malloc((len + 1) * sizeof(*places));

			assert_true(code && places);
			memcpy(code, rows[i].code, len);
			assert_int_equal(v8_x86_64.handler_places(code, len, SLOT_OFF, places), 0);
			free(code);
			free(places);
		}
	for (int i = 0; i < 200; i++) {
		struct v8_place places[256];
		u8 code[256];

		for (size_t k = 0; k < sizeof(code); k++)
			code[k] = (u8)rand_r(&seed);
		assert_int_equal(v8_x86_64.handler_places(code, sizeof(code), SLOT_OFF, places), 0);
	}
}

int main(void)
{
	struct CMUnitTest tests[sizeof(rows) / sizeof(rows[0]) + 1] = {
		cmocka_unit_test(analysis_of_random_bytes_as_a_handler_stays_within_bounds),
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tests[i + 1] = (struct CMUnitTest){
			.name = rows[i].test,
			.test_func = location_of_the_bytecode_offset_is_found_at_each_instruction,
			.initial_state = (void *)&rows[i]
		};
	return CHECK_RUN(tests);
}
