/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Tests of the judge of single steps, without a process: the classification of x86-64 instructions
 * (given in objdump's syntax), the shadow stack, and the comparison of a walk with the shadow stack
 * and with a program's report.
 */

#include <string.h>

#include "../check.h"
#include "shadow_stack.h"
#include "step_compare.h"
#include "step_program.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void instructions_are_classified_by_their_effect_on_the_stack(void **state)
{
	static const struct {
		u8 insn[SHADOW_MAX_INSN];
		enum shadow_insn is;
	} rows[] = {
		{ { 0xe8, 1, 2, 3, 4 }, SHADOW_CALL },
		{ { 0x41, 0xff, 0x55, 0xd8 }, SHADOW_CALL }, /* call *-0x28(%r13) */
		{ { 0xff, 0xe1 }, SHADOW_JUMP }, /* jmp *%rcx */
		{ { 0x41, 0xff, 0xe2 }, SHADOW_JUMP }, /* jmp *%r10 */
		{ { 0x3e, 0xff, 0xe0 }, SHADOW_JUMP }, /* notrack jmp *%rax */
		{ { 0xff, 0x25, 1, 2, 3, 4 }, SHADOW_OTHER }, /* jmp *0x4030201(%rip) */
		{ { 0xc3 }, SHADOW_RET },
		{ { 0xf2, 0xc3 }, SHADOW_RET }, /* bnd ret */
		{ { 0xc2, 8, 0 }, SHADOW_RET }, /* ret $8 */
		{ { 0x5d }, SHADOW_POP },
		{ { 0x41, 0x58 }, SHADOW_POP }, /* pop %r8 */
		{ { 0x48, 0x8b, 0x45, 8 }, SHADOW_LOAD }, /* mov 8(%rbp), %rax */
		{ { 0x4c, 0x8b, 0x55, 8 }, SHADOW_LOAD }, /* mov 8(%rbp), %r10 */
		{ { 0x49, 0x8b, 0x45, 8 }, SHADOW_OTHER }, /* mov 8(%r13), %rax */
		{ { 0x4d, 0x8b, 0x55, 8 }, SHADOW_OTHER }, /* mov 8(%r13), %r10 */
		{ { 0x8b, 0x45, 8 }, SHADOW_OTHER }, /* mov 8(%rbp), %eax: half of the address */
		{ { 0x48, 0x8b, 0x45, 16 }, SHADOW_OTHER }, /* mov 16(%rbp), %rax */
		{ { 0x48, 0x8b, 0x44, 0x24, 8 }, SHADOW_OTHER }, /* mov 8(%rsp), %rax */
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		assert_int_equal(shadow_classify(rows[i].insn), rows[i].is);
}

static void return_address_stays_on_the_shadow_stack_if_code_moves_it(void **state)
{
	static const struct {
		enum shadow_insn insn;
		u64 pc, before_sp, sp, top, loaded;
		u32 n;
	} rows[] = {
		{ SHADOW_CALL, 0x200, 0x1000, 0xff8, 0x105, 0, 2 },
		{ SHADOW_OTHER, 0x201, 0xff8, 0xfe8, 0x105, 0, 2 }, /* copied, for room */
		{ SHADOW_POP, 0x202, 0xfe8, 0xff0, 0, 0x105, 2 },
		{ SHADOW_OTHER, 0x203, 0xff0, 0x1010, 0, 0, 2 }, /* arguments are dropped */
		{ SHADOW_OTHER, 0x204, 0x1010, 0x1008, 0x105, 0, 2 }, /* pushed again */
		{ SHADOW_RET, 0x105, 0x1008, 0x1010, 0, 0, 1 },
	};
	const u64 base = 0x42;
	struct shadow_stack s;

	(void)state;
	shadow_begin(&s, &base, 1);
	for (size_t i = 0; i < N(rows); i++) {
		struct uw_regs before = { .sp = rows[i].before_sp };
		struct uw_regs after = { .pc = rows[i].pc, .sp = rows[i].sp };

		shadow_step(&s, rows[i].insn, &before, &after, rows[i].top, rows[i].loaded);
		assert_int_equal(s.n, rows[i].n);
		assert_false(s.is_lost);
	}
	assert_int_equal(shadow_ra(&s, 0), base);
}

static void return_to_an_unknown_address_makes_the_shadow_stack_invalid(void **state)
{
	struct uw_regs before = { .sp = 0x1000 }, after = { .pc = 0x77, .sp = 0x1008 };
	const u64 base = 0x42;
	struct shadow_stack s;

	(void)state;
	shadow_begin(&s, &base, 1);
	shadow_step(&s, SHADOW_RET, &before, &after, 0, 0);
	assert_true(s.is_lost);
}

static void every_kind_of_wrong_walk_differs_from_the_true_call_chain(void **state)
{
	static const struct {
		u64 frames[6];
		const char *form; /* the reported difference; NULL: walk and chain agree */
	} rows[] = {
		{ { 1, 10, 20, 30, 40 }, NULL },
		{ { 1, 10, 20, 30, 40, 99 }, NULL }, /* callers beyond the cut are not judged */
		{ { 1, 20, 30, 40 }, "the caller is missing" },
		{ { 1, 10, 30, 40 }, "the caller of the caller is missing" },
		{ { 1, 30, 40 }, "two callers are missing" },
		{ { 1, 5, 10, 20, 30, 40 }, "a caller too many" },
		{ { 1 }, "no caller" },
		{ { 1, 10, 20, 40 }, "another stack" }, /* 30 is missing */
		{ { 1, 10, 20, 30 }, "another stack" }, /* the walk ends too early */
		{ { 1, 20, 10, 30, 40 }, "another stack" },
		{ { 1, 10, 20, 31, 40 }, "another stack" },
	};
	static const struct step_chain chain = { { 10, 20, 30, 40 }, 4, true };

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct uw_sample s = {};

		while (s.n_frames < 6 && rows[i].frames[s.n_frames]) {
			s.frames[s.n_frames].pc = rows[i].frames[s.n_frames];
			s.n_frames++;
		}
		assert_int_equal(step_chain_agrees(&s, 1, &chain, 0, 0), !rows[i].form);
		if (rows[i].form)
			assert_string_equal(step_chain_form(&s, &chain), rows[i].form);
	}
}

static void walk_with_more_frames_than_the_complete_true_chain_is_wrong(void **state)
{
	static const struct step_chain chain = { { 10, 20 }, 2, false };
	struct uw_sample s = { .n_frames = 3 };

	(void)state;
	s.frames[1].pc = 10;
	s.frames[2].pc = 20;
	assert_true(step_chain_agrees(&s, 1, &chain, 0, 0));
	s.n_frames = 4;
	assert_false(step_chain_agrees(&s, 1, &chain, 0, 0));
}

static void function_names_are_compared_with_the_names_that_the_program_reports(void **state)
{
	static const struct {
		const char *names[5];
		u32 from_depth;
		bool agrees, is_pending, has_outermost;
	} rows[] = {
		{ { "b", "a", "main", "loop" }, 0, true, false, true },
		{ { "c", "b", "a", "main", "loop" }, 0, true, true, false },
		{ { "a", "main", "loop" }, 0, false, false, true }, /* b is missing */
		{ { "b", "main", "loop" }, 0, false, false, false },
		{ { "b", "a", "main" }, 0, false, false, false }, /* loop is missing */
		{ { "b", "c", "main", "loop" }, 0, false, false, false },
		{ { "a", "b", "main", "loop" }, 0, false, false, false },
		{ { "b", "b", "a", "main", "loop" }, 0, true, true, false },
		{ { "b" }, 2, true, false, true }, /* native code called b */
		{ { "a" }, 2, false, false, false },
	};
	static const struct step_program p = {
		.functions = { "main", "a", "b", "c" },
		.n_functions = 4,
		.callers = { "main", "loop" },
		.n_callers = 2,
		.words = { 3, 1, 2, 3 },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		bool is_pending;
		u32 n = 0;

		while (n < 5 && rows[i].names[n])
			n++;
		assert_int_equal(
			step_program_agrees(&p, rows[i].names, n, rows[i].from_depth, &is_pending),
			rows[i].agrees);
		assert_int_equal(is_pending, rows[i].is_pending);
		assert_int_equal(
			step_program_has_outermost(&p, rows[i].names, n, rows[i].from_depth),
			rows[i].has_outermost);
	}
}

struct memory {
	struct target target;
	u32 words[1 + PROGRAM_MAX_DEPTH];
};

static int read_memory(struct target *t, u64 addr, void *dst, size_t len)
{
	(void)addr;
	memcpy(dst, ((struct memory *)t)->words, len);
	return 0;
}

static void function_name_is_judged_only_after_the_function_has_reported_its_start(void **state)
{
	struct memory memory = { .target = { .read = read_memory }, .words = { 1, 1, 3 } };
	struct step_program p = { .functions = { "main", "a", "b" },
				  .n_functions = 3,
				  .callers = { "main" },
				  .n_callers = 1 };
	const char *const names[] = { "b", "main" };
	enum program_event event;
	bool is_pending;

	(void)state;
	for (u32 number = 2; number <= 3; number++) {
		memory.words[0] = 1;
		assert_int_equal(step_program_read(&p, &memory.target, 1, &event), 0);
		strcpy(p.pending, "b");
		p.pending_depth = 1;
		memory.words[0] = 2;
		memory.words[2] = number;
		assert_int_equal(step_program_read(&p, &memory.target, 2, &event), 0);
		assert_int_equal(event, number == 3 ? PROGRAM_WAS_RIGHT : PROGRAM_WAS_WRONG);
	}
	/* The function has reported its end, and returns only after that. */
	memory.words[0] = 1;
	assert_int_equal(step_program_read(&p, &memory.target, 2, &event), 0);
	assert_true(step_program_agrees(&p, names, 2, 0, &is_pending) && !is_pending);
	assert_int_equal(step_program_read(&p, &memory.target, 1, &event), 0);
	assert_true(step_program_agrees(&p, names, 2, 0, &is_pending) && is_pending);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_classified_by_their_effect_on_the_stack),
		cmocka_unit_test(return_address_stays_on_the_shadow_stack_if_code_moves_it),
		cmocka_unit_test(return_to_an_unknown_address_makes_the_shadow_stack_invalid),
		cmocka_unit_test(every_kind_of_wrong_walk_differs_from_the_true_call_chain),
		cmocka_unit_test(walk_with_more_frames_than_the_complete_true_chain_is_wrong),
		cmocka_unit_test(
			function_names_are_compared_with_the_names_that_the_program_reports),
		cmocka_unit_test(
			function_name_is_judged_only_after_the_function_has_reported_its_start),
	};

	return CHECK_RUN(tests);
}
