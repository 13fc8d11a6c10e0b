// SPDX-License-Identifier: BSD-2-Clause

/*
 * The state after one step. This state includes the caller's sp, which a
 * recorded frame does not have. Compiled once for each architecture.
 */

#include "walks.h"

#include "../../sim/port/walk.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define IS_ARM64 (CAT(BIT_, SIM_ARCH) == STACK_ARM64)
#define BIT_x86_64 STACK_X86_64
#define BIT_arm64 STACK_ARM64

static struct sim_target target;
static struct uw_state u;

/* A stack of @words with registers @regs; the text at pc contains @insn. */
static void begin(const struct uw_regs *regs, const u64 *words, u32 n_words, u32 insn)
{
	struct stack stack = { .name = "one step",
			       .regs = *regs,
			       .words = words,
			       .n_words = n_words,
			       .no_rows = true,
			       .pokes = { { regs->pc, insn } } };

	assert_int_equal(sim_stack_target(&stack, CAT(BIT_, SIM_ARCH), &target), 0);
	sim_port_target = &target;
	u.regs = target.regs;
	u.va_mask = target.va_mask;
	u.extent = target.extent;
	u.has_tables = true;
	u.sample.n_frames = 0;
	uw_walk_begin(&u);
}

static int foul(void **state)
{
	(void)state;
	memset(&u, 0xa5, sizeof(u));
	return 0;
}

static int end(void **state)
{
	(void)state;
	sim_port_target = NULL;
	sim_mem_free(&target.mem);
	return 0;
}

static const u64 chain[] = { 0, 0, S(6), APP(0x200), 0, 0, 0x100, LIBC(0x300) };

static void sp_of_the_caller_is_known_from_a_frame_record_only_on_x86(void **state)
{
	const struct uw_regs regs = { .pc = APP(0x100), .sp = S(0), .fp = S(2), .lr = APP(8) };

	(void)state;
	begin(&regs, chain, 8, IS_ARM64 ? 0xd503201f : 0x90909090);
	assert_int_equal(uw_step(&u), UW_OK);
	assert_int_equal(u.regs.pc, APP(0x200));
	assert_int_equal(u.regs.fp, S(6));
	assert_int_equal(u.stack_low, S(4));
	assert_int_equal(u.next_flags, RA_GUESS);
	assert_int_equal(u.sp_known, !IS_ARM64);
	assert_int_equal(u.regs.sp, IS_ARM64 ? 0 : S(4));
}

static void step_from_the_first_instruction_moves_sp_past_the_return_address(void **state)
{
	const u64 words[] = { APP(0x200), 0, S(6), APP(0x400), 0, 0, 0x100, LIBC(0x300) };
	const struct uw_regs regs = { .pc = APP(0x100), .sp = S(0), .fp = S(2), .lr = APP(0x200) };

	(void)state;
	begin(&regs, words, 8, IS_ARM64 ? 0xa9bf7bfd : 0x55);
	assert_int_equal(uw_step(&u), UW_OK);
	assert_int_equal(u.regs.pc, APP(0x200));
	assert_int_equal(u.regs.fp, S(2)); /* fp is still the caller's */
	assert_int_equal(u.sp_known, !IS_ARM64);
	assert_int_equal(u.regs.sp, IS_ARM64 ? S(0) : S(1));
}

static void step_from_the_second_instruction_also_moves_sp_past_the_pushed_fp(void **state)
{
	const u64 words[] = { S(6), APP(0x200), 0, 0, 0, 0, 0x100, LIBC(0x300) };
	const struct uw_regs regs = { .pc = APP(0x100), .sp = S(0), .fp = S(6), .lr = APP(0x200) };

	(void)state;
	begin(&regs, words, 8, IS_ARM64 ? 0x910003fd : 0xe58948);
	assert_int_equal(uw_step(&u), UW_OK);
	assert_int_equal(u.regs.pc, APP(0x200));
	assert_int_equal(u.regs.sp, IS_ARM64 ? S(0) : S(2));
}

static void a_step_that_fails_changes_no_register(void **state)
{
	const struct uw_regs regs = { .pc = APP(0x100), .sp = S(0), .fp = S(2) + 1, .lr = 0 };

	(void)state;
	begin(&regs, chain, 8, IS_ARM64 ? 0xd503201f : 0x90909090);
	assert_int_equal(uw_step(&u), UW_T_ROWS_PENDING);
	assert_memory_equal(&u.regs, &regs, sizeof(regs));
	assert_true(u.sp_known);
}

static void new_walk_reads_the_changed_stack_again(void **state)
{
	const struct uw_regs regs = { .pc = APP(0x100), .sp = S(0), .fp = S(2), .lr = APP(8) };
	const u64 changed[] = { 0, 0, S(6), APP(0x600), 0, 0, 0x100, LIBC(0x300) };
	const u32 insn = IS_ARM64 ? 0xd503201f : 0x90909090;

	(void)state;
	begin(&regs, chain, 8, insn);
	assert_int_equal(uw_step(&u), UW_OK);
	assert_int_equal(u.regs.pc, APP(0x200));
	sim_mem_free(&target.mem);
	begin(&regs, changed, 8, insn);
	assert_int_equal(uw_step(&u), UW_OK);
	assert_int_equal(u.regs.pc, APP(0x600));
}

#define T(f) cmocka_unit_test_setup_teardown(f, foul, end)

static const struct CMUnitTest tests[] = {
	T(sp_of_the_caller_is_known_from_a_frame_record_only_on_x86),
	T(step_from_the_first_instruction_moves_sp_past_the_return_address),
	T(step_from_the_second_instruction_also_moves_sp_past_the_pushed_fp),
	T(a_step_that_fails_changes_no_register),
	T(new_walk_reads_the_changed_stack_again),
};

int main(void)
{
	return CHECK_RUN(tests);
}
