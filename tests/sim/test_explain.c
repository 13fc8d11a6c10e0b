// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests the conclusions of `explain`: the first wrong frame, and the stack slots of the true
 * return addresses. The stacks are array literals, so the right conclusions are known.
 */

#include "../core/walks.h"

#include "../../sim/explain/explain.h"

#define X86 0
#define ARM 1
#define AGAIN APP(0x200) /* a return address in a function that calls itself */
#define MAIN LIBC(0x128)
#define SIGNED_AGAIN (AGAIN | 0x007b000000000000)

/* Runs explain_make() on a stack. The caller frees the result. */
static struct explain *explained(const struct stack *stack, u32 arch, const u64 *pcs, u32 n)
{
	static struct sim_case c;
	static struct explain e;

	memset(&e, 0, sizeof(e));
	c = (struct sim_case){ .name = "test", .arch = arch_rows[arch].sim, .status = UW_END };
	target_of(stack, &arch_rows[arch], &c.target);
	e.c = &c;
	e.target = c.target;
	e.truth = (struct sim_truth){ .pcs = pcs, .n = n };
	e.max_frames = 32;
	assert_int_equal(explain_make(&e), 0);
	return &e;
}

static void end(struct explain *e)
{
	explain_deinit(e);
	sim_mem_free(&e->target.mem);
}

static const u64 chain_words[] = { 0x11,  0x12,	      S(6), APP(0x200), 0x13, 0x14,
				   S(10), APP(0x310), 0x15, 0x16,	1,    MAIN };
static const u64 chain_pcs[] = { APP(0x108), APP(0x200), APP(0x310), MAIN };
#define CHAIN                                                                                      \
	{                                                                                          \
		.regs = { APP(0x108), S(0), S(2), 0 }, STACK_WORDS(chain_words)                    \
	}

static void every_return_address_slot_is_found_if_the_walk_is_right(void **state)
{
	static const struct stack stack = CHAIN;

	(void)state;
	for (u32 arch = X86; arch <= ARM; arch++) {
		struct explain *e = explained(&stack, arch, chain_pcs, 4);

		assert_true(e->is_right);
		for (u32 i = 1; i < 4; i++) {
			assert_int_equal(e->places[i].low, S(4 * i - 1));
			assert_int_equal(e->places[i].high, S(4 * i - 1));
		}
		end(e);
	}
}

struct corruption {
	struct stack_word poke;
	u32 first_wrong;
	const char *verdict;
	bool no_rows;
};

/* Negative control: each word that affects the walk is changed once. */
static const struct corruption corruptions[] = {
	{ { S(3), APP(0x3f0) }, 1, "WRONG from frame 1 on" },
	{ { S(7), APP(0x3f0) }, 2, "WRONG from frame 2 on" },
	{ { S(11), LIBC(0x3f0) }, 3, "WRONG from frame 3 on" },
	{ { S(2), S(10) }, 2, "WRONG: frame 2 is missing, 0x200000400310; all others are right" },
	{ { S(2), S(0) }, 2, "WRONG: the walk ends after 2 of 4 frames" },
	{ { S(6), 0 }, 3, "WRONG: the walk ends after 3 of 4 frames" },
	{ { S(0), 0 },
	  4,
	  "WRONG: the frames are right, but the walk ends with \"guessed frame\", not \"end\"",
	  true },
};

static void the_first_wrong_frame_is_found_if_one_stack_word_is_corrupt(void **state)
{
	struct stack stack = CHAIN;
	char verdict[320];

	(void)state;
	for (u32 arch = X86; arch <= ARM; arch++) {
		for (size_t i = 0; i < sizeof(corruptions) / sizeof(corruptions[0]); i++) {
			struct explain *e;

			stack.pokes[0] = corruptions[i].poke;
			stack.no_rows = corruptions[i].no_rows;
			e = explained(&stack, arch, chain_pcs, 4);
			explain_verdict(e, verdict, sizeof(verdict));
			assert_false(e->is_right);
			assert_int_equal(e->first_wrong, corruptions[i].first_wrong);
			assert_string_equal(verdict, corruptions[i].verdict);
			end(e);
		}
	}
}

/* The true stack has fewer frames than the walk reports. */
static void a_frame_beyond_the_end_of_the_true_stack_is_wrong(void **state)
{
	static const struct stack stack = CHAIN;
	struct explain *e = explained(&stack, X86, chain_pcs, 3);
	char verdict[320];

	(void)state;
	explain_verdict(e, verdict, sizeof(verdict));
	assert_string_equal(verdict,
			    "WRONG from frame 3 on: the true stack has 3 frames, the walk found 4");
	end(e);
	e = explained(&stack, X86, NULL, 0);
	explain_verdict(e, verdict, sizeof(verdict));
	assert_string_equal(verdict, "the true stack of this case is unknown");
	end(e);
}

/*
 * A leaf without a frame record is called by a function that calls itself, so all return
 * addresses are equal.
 */
static const u64 leaf_words[] = { AGAIN, S(3), 0x11, S(5), AGAIN, S(7), AGAIN, 1, MAIN };
static const u64 leaf_pcs[] = { APP(0x108), AGAIN, AGAIN, AGAIN, MAIN };

static void a_frame_that_the_walk_missed_is_located_even_in_a_recursion(void **state)
{
	static const struct stack stack = { .regs = { APP(0x108), S(0), S(3), 0 },
					    STACK_WORDS(leaf_words),
					    .no_rows = true };
	struct explain *e = explained(&stack, X86, leaf_pcs, 5);

	(void)state;
	/* The walk is leaf, again, again, main, so its pcs are wrong only from frame 3 on. */
	assert_int_equal(e->u.sample.n_frames, 4);
	assert_int_equal(e->u.sample.frames[2].pc, AGAIN);
	assert_int_equal(e->first_wrong, 1);
	assert_int_equal(e->places[1].low, S(0));
	assert_int_equal(e->places[1].high, S(0));
	assert_int_equal(explain_frame_at(e, e->steps[0].ra_addr), 2);
	end(e);
}

/* The same stack, but the return address is in lr and words are signed. */
static const u64 lr_words[] = { 0x10, 0x11, 0x12, S(5), SIGNED_AGAIN, S(7), SIGNED_AGAIN, 1, MAIN };

static void a_return_address_in_lr_has_no_stack_slot(void **state)
{
	static const struct stack stack = { .regs = { APP(0x108), S(0), S(3), SIGNED_AGAIN },
					    STACK_WORDS(lr_words),
					    .no_rows = true };
	struct explain *e = explained(&stack, ARM, leaf_pcs, 5);

	(void)state;
	assert_int_equal(e->first_wrong, 1);
	assert_int_equal(e->places[1].low, 0);
	assert_int_equal(e->places[2].low, S(4));
	assert_int_equal(e->places[2].high, S(4));
	assert_int_equal(e->places[3].high, S(6));
	end(e);
}

/* A local variable of the leaf holds an old return address. */
static const u64 stale_words[] = { AGAIN, 0, S(4), AGAIN, 1, MAIN };
static const u64 stale_pcs[] = { APP(0x108), AGAIN, MAIN };

static void a_return_address_slot_is_ambiguous_if_a_stale_copy_is_on_the_stack(void **state)
{
	static const struct stack stack = { .regs = { APP(0x108), S(0), S(2), 0 },
					    STACK_WORDS(stale_words) };
	struct explain *e = explained(&stack, X86, stale_pcs, 3);

	(void)state;
	assert_true(e->is_right);
	assert_int_equal(e->places[1].low, S(0));
	assert_int_equal(e->places[1].high, S(3));
	assert_int_equal(e->places[2].low, S(5));
	assert_int_equal(e->places[2].high, S(5));
	end(e);
}

/* If the mask is too wide, the signature is not stripped; the slot must be found anyway. */
static void a_signed_return_address_is_found_with_any_mask(void **state)
{
	static const u64 words[] = { S(2), SIGNED_AGAIN, 1, MAIN };
	static const struct stack stack = { .regs = { APP(0x108), S(0), S(0), 0 },
					    .va_mask = (1ull << 55) - 1,
					    STACK_WORDS(words) };
	struct explain *e = explained(&stack, ARM, stale_pcs, 3);

	(void)state;
	assert_int_equal(e->first_wrong, 1);
	assert_int_equal(e->places[1].low, S(1));
	assert_int_equal(e->places[1].high, S(1));
	end(e);
	/* On x86-64 return addresses are not signed. */
	e = explained(&stack, X86, stale_pcs, 3);
	assert_int_equal(e->places[1].low, 0);
	end(e);
}

/*
 * Any values of sp and fp must be printed or rejected, but only addresses in the stack may be
 * read.
 */
static void explanation_never_reads_outside_the_stack_for_any_sp_and_fp(void **state)
{
	static const u64 wild[] = { 0,	       1,     7,      0xfff,
				    S(0) + 3,  S(11), S(512), 0x7ffffffffff8,
				    ~0ull - 6, ~0ull };
	struct stack stack = CHAIN;
	char *text = NULL;
	size_t len = 0;
	u32 n = 0;

	(void)state;
	for (u32 arch = X86; arch <= ARM; arch++) {
		for (size_t i = 0; i < 100; i++) {
			FILE *f = open_memstream(&text, &len);
			struct explain *e;

			stack.regs.sp = wild[i / 10];
			stack.regs.fp = wild[i % 10];
			e = explained(&stack, arch, chain_pcs, 4);
			assert_int_equal(explain_print(e, f), 0);
			assert_int_equal(explain_json(e, f), 0);
			fclose(f);
			n += strstr(text, "WRONG") != NULL;
			assert_non_null(strstr(text, "\nstack "));
			free(text);
			end(e);
		}
	}
	assert_in_range(n, 150, 200);
}

/*
 * Only the first frames of a long walk, the frames around the wrong one, and the last ones
 * are printed.
 */
static void a_long_walk_is_printed_only_at_both_ends_and_around_the_wrong_frame(void **state)
{
	static u64 words[200], pcs[101] = { APP(0x108) };
	static const struct stack stack = { .regs = { APP(0x108), S(0), S(0), 0 },
					    STACK_WORDS(words) };
	struct explain *e;
	bool is_printed[101];
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	(void)state;
	for (u32 i = 0; i < 100; i++) {
		words[2 * i] = i < 99 ? S(2 * i + 2) : 1;
		words[2 * i + 1] = pcs[i + 1] = i < 99 ? APP(0x400 + 4 * i) : MAIN;
	}
	pcs[60] = APP(0x3000);
	e = explained(&stack, X86, pcs, 101);
	assert_int_equal(explain_print(e, f), 0);
	fclose(f);
	for (u32 i = 0; i < 101; i++) {
		char head[16];

		snprintf(head, sizeof(head), "\nframe %-3u", i);
		is_printed[i] = strstr(text, head) != NULL;
	}
	for (u32 i = 0; i < 101; i++)
		assert_int_equal(is_printed[i], i < 32 || (i >= 58 && i <= 60) || i == 100);
	assert_non_null(strstr(text, "\n  WRONG    the true frame 60 is 0x200000403000"));
	free(text);
	end(e);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_return_address_slot_is_found_if_the_walk_is_right),
		cmocka_unit_test(the_first_wrong_frame_is_found_if_one_stack_word_is_corrupt),
		cmocka_unit_test(a_frame_beyond_the_end_of_the_true_stack_is_wrong),
		cmocka_unit_test(a_frame_that_the_walk_missed_is_located_even_in_a_recursion),
		cmocka_unit_test(a_return_address_in_lr_has_no_stack_slot),
		cmocka_unit_test(
			a_return_address_slot_is_ambiguous_if_a_stale_copy_is_on_the_stack),
		cmocka_unit_test(a_signed_return_address_is_found_with_any_mask),
		cmocka_unit_test(explanation_never_reads_outside_the_stack_for_any_sp_and_fp),
		cmocka_unit_test(
			a_long_walk_is_printed_only_at_both_ends_and_around_the_wrong_frame),
	};

	return CHECK_RUN(tests);
}
