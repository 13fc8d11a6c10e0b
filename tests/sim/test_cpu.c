// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests that the simulated CPU reports the calls in progress, and rejects code that it can't
 * track.
 */

#include "programs.h"

#define X86(...) (const u8[]){ __VA_ARGS__ }, sizeof((const u8[]){ __VA_ARGS__ })
#define ARM(...) (const u32[]){ __VA_ARGS__ }, sizeof((const u32[]){ __VA_ARGS__ })
#define RWX (SIM_READ | SIM_WRITE | SIM_EXEC)

/* clang-format off */
static const struct program programs[] = {
	{ "a call that returns", &sim_arch_x86_64,
	  X86(0xe8, 1, 0, 0, 0, 0xf4, 0xc3), CODE + 5, 2, NULL },
	{ "an indirect call with a prefix: notrack call *%rax", &sim_arch_x86_64,
	  X86(0x48, 0x8d, 0x05, 4, 0, 0, 0, 0x3e, 0xff, 0xd0, 0xf4, 0xc3), CODE + 10, 3, NULL },
	{ "a call by r8", &sim_arch_x86_64,
	  X86(0x4c, 0x8d, 0x05, 4, 0, 0, 0, 0x41, 0xff, 0xd0, 0xf4, 0xc3), CODE + 10, 3, NULL },
	{ "a call through memory", &sim_arch_x86_64,
	  X86(0xff, 0x15, 2, 0, 0, 0, 0xf4, 0xc3, 7, 0, 1, 0, 0, 0, 0, 0), CODE + 6, 2, NULL },
	{ "a call through memory at r12", &sim_arch_x86_64,
	  X86(0x4c, 0x8d, 0x25, 9, 0, 0, 0, 0x41, 0xff, 0x14, 0x24, 0xf4, 0xc3, 0, 0, 0, 12, 0, 1, 0, 0, 0, 0, 0),
	  CODE + 11, 3, NULL },
	{ "a call with three prefixes", &sim_arch_x86_64,
	  X86(0x66, 0x66, 0x48, 0xe8, 1, 0, 0, 0, 0xf4, 0xc3), CODE + 8, 2, NULL },
	{ "a return that drops an argument", &sim_arch_x86_64,
	  X86(0x6a, 1, 0xe8, 1, 0, 0, 0, 0xf4, 0xc2, 8, 0), CODE + 7, 3, NULL },
	{ "a return address that is moved: pop, push, ret", &sim_arch_x86_64,
	  X86(0xe8, 1, 0, 0, 0, 0xf4, 0x58, 0x50, 0xc3), CODE + 5, 4, NULL },
	{ "a jump to the return address of a later call: f: inc; cmp; je 1f; call f; 1: ret", &sim_arch_x86_64,
	  X86(0xe8, 1, 0, 0, 0, 0xf4, 0xff, 0xc7, 0x83, 0xff, 2, 0x74, 5, 0xe8, 0xf4, 0xff, 0xff, 0xff, 0xc3),
	  CODE + 5, 10, NULL },
	{ "a pause", &sim_arch_x86_64, X86(0xf3, 0x90, 0x90), CODE + 3, 2, NULL },
	{ "a direct call with a prefix: addr32 call", &sim_arch_x86_64,
	  X86(0x67, 0xe8, 1, 0, 0, 0, 0xf4, 0xc3), CODE + 6, 2, NULL },
	{ "an endless loop", &sim_arch_x86_64,
	  X86(0xeb, 0xfe), CODE + 8, 10000, "runs longer than 10000 instructions" },
	{ "a long repetition", &sim_arch_x86_64,
	  X86(0x48, 0x89, 0xe7, 0xb9, 0, 0xf0, 0, 0, 0xf3, 0xaa), CODE + 10, 10000, "runs longer than 10000" },
	{ "a jump out of the case", &sim_arch_x86_64,
	  X86(0xe9, 0xfb, 0xff, 0x07, 0), CODE + 8, 1, "jumps outside of the code of the case, to 0x90000" },
	{ "a jump into the stack", &sim_arch_x86_64,
	  X86(0xff, 0xe4), CODE + 8, 1, "jumps outside of the code of the case, to 0x7fff00000800" },
	{ "a system call", &sim_arch_x86_64,
	  X86(0x90, 0x0f, 0x05), CODE + 8, 2, "makes a system call at 0x10001" },
	{ "a system call with a prefix", &sim_arch_x86_64,
	  X86(0x2e, 0x0f, 0x05), CODE + 8, 1, "makes a system call at 0x10000" },
	{ "a system call with five prefixes", &sim_arch_x86_64,
	  X86(0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x05), CODE + 8, 1, "makes a system call" },
	{ "sysenter", &sim_arch_x86_64, X86(0x0f, 0x34), CODE + 8, 1, "makes a system call" },
	{ "int 0x80", &sim_arch_x86_64, X86(0xcd, 0x80), CODE + 8, 1, "makes a system call" },
	{ "a far return", &sim_arch_x86_64,
	  X86(0x6a, 0x33, 0x48, 0xcb), CODE + 8, 2, "changes the CPU's mode at 0x10002" },
	{ "a far return that drops an argument", &sim_arch_x86_64, X86(0xca, 8, 0), CODE + 8, 1, "changes the CPU's mode" },
	{ "a return from an interrupt", &sim_arch_x86_64, X86(0x48, 0xcf), CODE + 8, 1, "changes the CPU's mode" },
	{ "a far call", &sim_arch_x86_64, X86(0xff, 0x1c, 0x24), CODE + 8, 1, "changes the CPU's mode" },
	{ "a far jump", &sim_arch_x86_64, X86(0x48, 0xff, 0x2c, 0x24), CODE + 8, 1, "changes the CPU's mode" },
	{ "sysret", &sim_arch_x86_64, X86(0x48, 0x0f, 0x07), CODE + 8, 1, "changes the CPU's mode" },
	{ "mov to cr3", &sim_arch_x86_64, X86(0x0f, 0x22, 0xd8), CODE + 8, 1, "changes the CPU's mode" },
	{ "lgdt", &sim_arch_x86_64, X86(0x0f, 0x01, 0x14, 0x24), CODE + 8, 1, "changes the CPU's mode" },
	{ "wrmsr", &sim_arch_x86_64, X86(0x0f, 0x30), CODE + 8, 1, "changes the CPU's mode" },
	{ "a division by zero", &sim_arch_x86_64, X86(0x31, 0xc9, 0xf7, 0xf1), CODE + 8, 2, "traps" },
	{ "a breakpoint", &sim_arch_x86_64, X86(0xcc), CODE + 8, 1, "traps" },
	{ "another interrupt", &sim_arch_x86_64, X86(0xcd, 0x29), CODE + 8, 1, "traps" },
	{ "the trap flag", &sim_arch_x86_64,
	  X86(0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d, 0x90), CODE + 12, 4, "traps" },
	{ "code that Unicorn's translator does not support", &sim_arch_x86_64,
	  X86(0x90, 0x90, 0xff, 0xe8), CODE + 8, 0, "Unicorn aborts while translating the code after 0x10000" },
	{ "a halt", &sim_arch_x86_64, X86(0xf4), CODE + 8, 1, "halts" },
	{ "an undefined instruction: ud2", &sim_arch_x86_64, X86(0x0f, 0x0b), CODE + 8, 1, "traps" },
	{ "a return without a call", &sim_arch_x86_64,
	  X86(0x68, 8, 0, 1, 0, 0xc3, 0x90, 0x90, 0x90), CODE + 9, 2, "returns without a call" },
	{ "a return to an address that does not follow a call", &sim_arch_x86_64,
	  X86(0xe8, 5, 0, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 4, 0x24, 2, 0xc3),
	  CODE + 9, 3, "returns to 0x10007 instead of 0x10005" },
	{ "a return by a jump: pop, jmp", &sim_arch_x86_64,
	  X86(0xe8, 2, 0, 0, 0, 0x90, 0xf4, 0x58, 0xff, 0xe0), CODE + 6, 3, "0x10008 returns by a jump" },
	{ "a return to the end without a call", &sim_arch_x86_64,
	  X86(0x68, 6, 0, 1, 0, 0xc3), CODE + 6, 2, "returns without a call" },
	{ "a return to the end before the outermost return", &sim_arch_x86_64,
	  X86(0xe8, 1, 0, 0, 0, 0xf4, 0xc7, 4, 0x24, 14, 0, 1, 0, 0xc3), CODE + 14, 3,
	  "returns to 0x1000e instead of 0x10005" },
	{ "a call that never returns", &sim_arch_x86_64,
	  X86(0xe8, 0, 0, 0, 0, 0x58), CODE + 6, 2, "ends the case, but 1 calls have not returned" },
	{ "a call to the end of the case", &sim_arch_x86_64,
	  X86(0xe8, 0, 0, 0, 0), CODE + 5, 1, "ends the case, but 1 calls have not returned" },
	{ "a call to the end of a case that may end inside a call", &sim_arch_x86_64,
	  X86(0x90, 0xe8, 0, 0, 0, 0), CODE + 6, 2, NULL, .ends_inside = true },
	{ "code that changes itself", &sim_arch_x86_64,
	  X86(0xc6, 0x05, 0, 0, 0, 0, 0x90, 0x90), CODE + 8, 1,
	  "stores to executable memory at 0x10007", .code_prot = RWX },
	{ "a store to protected code", &sim_arch_x86_64,
	  X86(0xc6, 0x05, 0, 0, 0, 0, 0x90, 0x90), CODE + 8, 1, "writes 0x10007, which can't be" },
	{ "a load from an unmapped address", &sim_arch_x86_64,
	  X86(0x48, 0x8b, 4, 0x25, 0, 0, 5, 0), CODE + 8, 1, "reads 0x50000, which can't be read" },
	{ "endless recursion", &sim_arch_x86_64,
	  X86(0xe8, 0xfb, 0xff, 0xff, 0xff), CODE + 8, 4097, "calls nest deeper than 4096",
	  .sp = STACK_LOW + STACK_LEN },
	{ "a start outside of code", &sim_arch_x86_64,
	  X86(0x90), CODE + 8, 0, "jumps outside of the code of the case", .code_prot = SIM_READ },

	{ "bl and ret", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd65f03c0), CODE + 4, 2, NULL },
	{ "bl, paciasp, retaa", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd503233f, 0xd65f0bff), CODE + 4, 3, NULL },
	{ "adr, paciza, blraaz, ret", &sim_arch_arm64,
	  ARM(0x10000081, 0xdac123e1, 0xd63f083f, 0xd4400000, 0xd65f03c0), CODE + 12, 4, NULL },
	{ "bl, b, ret", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0x14000001, 0xd65f03c0), CODE + 4, 3, NULL },
	{ "bl, mov x1, x30, ret x1", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xaa1e03e1, 0xd65f0020), CODE + 4, 3, NULL },
	{ "bl, pacibsp, retab", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd503237f, 0xd65f0fff), CODE + 4, 3, NULL },
	{ "adr, mov, pacia, blraa, ret", &sim_arch_arm64,
	  ARM(0x100000a0, 0xd28000e1, 0xdac10020, 0xd73f0801, 0xd4400000, 0xd65f03c0), CODE + 16, 5, NULL },
	{ "adr, mov, pacib, blrab, ret", &sim_arch_arm64,
	  ARM(0x100000a0, 0xd28000e1, 0xdac10420, 0xd73f0c01, 0xd4400000, 0xd65f03c0), CODE + 16, 5, NULL },
	{ "adr, pacizb, blrabz, ret", &sim_arch_arm64,
	  ARM(0x10000081, 0xdac127e1, 0xd63f0c3f, 0xd4400000, 0xd65f03c0), CODE + 12, 4, NULL },
	{ "writes to system registers that user space may write: cfinv, msr tpidr_el0", &sim_arch_arm64,
	  ARM(0xd500401f, 0xd51bd040), CODE + 8, 2, NULL },
	{ "bl, paciasp, a broken signature, retaa", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd503233f, 0x910013ff, 0xd65f0bff), CODE + 4, 4, "to 0x20000000010004" },
	{ "an endless loop", &sim_arch_arm64,
	  ARM(0x14000000), CODE + 8, 10000, "runs longer than 10000 instructions" },
	{ "a system call", &sim_arch_arm64, ARM(0xd4000001), CODE + 8, 1, "makes a system call" },
	{ "a return without a call", &sim_arch_arm64,
	  ARM(0x1000005e, 0xd65f03c0, 0xd503201f), CODE + 12, 2, "returns without a call" },
	{ "a return by a jump: br x30", &sim_arch_arm64,
	  ARM(0x94000003, 0xd503201f, 0xd4400000, 0xd61f03c0), CODE + 8, 2, "0x1000c returns by a jump" },
	{ "a call that never returns", &sim_arch_arm64,
	  ARM(0x94000001, 0xd503201f), CODE + 8, 2, "ends the case, but 1 calls have not returned" },
	{ "a jump into an instruction", &sim_arch_arm64,
	  ARM(0x50000041, 0xd61f0020, 0xd503201f, 0xd503201f), CODE + 16, 2,
	  "0x10004 jumps into the middle of an instruction, to 0x1000a" },
	{ "a breakpoint", &sim_arch_arm64, ARM(0xd4200000), CODE + 8, 1, "traps" },
	{ "a hypercall", &sim_arch_arm64, ARM(0xd4000002), CODE + 8, 1, "traps" },
	{ "eret", &sim_arch_arm64, ARM(0xd69f03e0), CODE + 8, 1, "changes the CPU's mode at 0x10000" },
	{ "eretab", &sim_arch_arm64, ARM(0xd69f0fff), CODE + 8, 1, "changes the CPU's mode" },
	{ "msr sctlr_el1", &sim_arch_arm64, ARM(0xd5181000), CODE + 8, 1, "changes the CPU's mode" },
	{ "msr spsel", &sim_arch_arm64, ARM(0xd50041bf), CODE + 8, 1, "changes the CPU's mode" },
	{ "tlbi", &sim_arch_arm64, ARM(0xd508871f), CODE + 8, 1, "changes the CPU's mode" },
	{ "a wait", &sim_arch_arm64, ARM(0xd503207f), CODE + 8, 1, "halts" },
	{ "an undefined instruction: udf", &sim_arch_arm64, ARM(0), CODE + 8, 1, "traps" },
	{ "a jump out of the case", &sim_arch_arm64,
	  ARM(0x17ffffff), CODE + 8, 1, "jumps outside of the code of the case, to 0xfffc" },
	{ "code that changes itself", &sim_arch_arm64,
	  ARM(0x10000000, 0xf9000000), CODE + 8, 2, "stores to executable memory at 0x10000",
	  .code_prot = RWX },
	{ "code that zeroes itself: dc zva", &sim_arch_arm64,
	  ARM(0x10000000, 0xd50b7420), CODE + 8, 2, "stores to executable memory at 0x10000",
	  .code_prot = RWX },
};
/* clang-format on */

#define N_PROGRAMS (sizeof(programs) / sizeof(programs[0]))

static int look_away(void *ctx, const struct sim_stop *stop)
{
	(void)ctx;
	(void)stop;
	return 0;
}

static int run_program(const struct program *p, struct sim_cpu_run *run, struct sim_error *error)
{
	struct sim_case c;
	int err;

	program_case(p, &c);
	err = sim_cpu_run(&c, run, error);
	sim_mem_free(&c.target.mem);
	return err;
}

static void each_simulated_program_ends_with_the_expected_result(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_PROGRAMS; i++) {
		const struct program *p = &programs[i];
		struct sim_cpu_run run = { .at_stop = look_away };
		struct sim_error error = { "" };
		int err = run_program(p, &run, &error);

		if (err != (p->error ? -ENOEXEC : 0) ||
		    (p->error && !strstr(error.text, p->error)) || run.n_insns != p->n_insns)
			fail_msg("%s %s: %d after %llu, \"%s\"", p->arch->name, p->name, err,
				 run.n_insns, error.text);
	}
}

static void a_simulated_program_fails_if_it_exceeds_the_instruction_limit_by_one(void **state)
{
	(void)state;
	for (u32 i = 0; i < N_PROGRAMS; i++) {
		struct program p = programs[i];
		struct sim_cpu_run run = { .at_stop = look_away };
		struct sim_error error;

		if (p.error)
			continue;
		p.max_insns = p.n_insns - 1;
		assert_int_equal(run_program(&p, &run, &error), -ENOEXEC);
		assert_non_null(strstr(error.text, "runs longer than"));
	}
}

struct seen {
	u64 truth[8][3];
	u64 lr[8];
	u32 n;
};

static int note(void *ctx, const struct sim_stop *stop)
{
	struct seen *seen = ctx;

	assert_in_range(stop->truth.n, 1, 3);
	assert_true(seen->n < 8);
	for (u32 i = 0; i < stop->truth.n; i++)
		seen->truth[seen->n][i] = stop->truth.pcs[i];
	seen->lr[seen->n++] = stop->regs.lr;
	return 0;
}

static void the_true_stack_consists_of_the_pc_and_the_return_addresses(void **state)
{
	/* call a; exit. a: call b; ret. b: jmp c. c: ret */
	static const u8 code[] = { 0xe8, 1, 0, 0, 0, 0xf4, 0xe8, 1, 0, 0, 0, 0xc3, 0xeb, 0, 0xc3 };
	const struct program p = { "nested", &sim_arch_x86_64, code, sizeof(code), CODE + 5 };
	static const u64 want[][3] = {
		{ CODE },
		{ CODE + 6, CODE + 5 },
		{ CODE + 12, CODE + 11, CODE + 5 },
		{ CODE + 14, CODE + 11, CODE + 5 },
		{ CODE + 11, CODE + 5 },
	};
	struct seen seen = { .n = 0 };
	struct sim_cpu_run run = { note, &seen, 0 };

	(void)state;
	assert_int_equal(run_program(&p, &run, NULL), 0);
	assert_int_equal(seen.n, 5);
	assert_memory_equal(seen.truth, want, sizeof(want));
}

/* A separate run of Unicorn with these keys and this sp gave the signature 0x7d. */
static void paciasp_signs_the_return_address(void **state)
{
	static const u32 code[] = { 0xd503233f, 0xd503201f, 0xd50323bf, 0xd503201f };
	const struct program p = { "sign", &sim_arch_arm64, code, sizeof(code), CODE + 16 };
	struct seen seen = { .n = 0 };
	struct sim_cpu_run run = { note, &seen, 0 };
	struct sim_case c;

	(void)state;
	program_case(&p, &c);
	c.target.regs.lr = 0x0000555500001234;
	assert_int_equal(sim_cpu_run(&c, &run, NULL), 0);
	sim_mem_free(&c.target.mem);
	assert_int_equal(seen.lr[0], 0x0000555500001234);
	assert_int_equal(seen.lr[1], 0x007d555500001234);
	assert_int_equal(seen.lr[3], 0x0000555500001234);
}

static int stop_at_once(void *ctx, const struct sim_stop *stop)
{
	(void)ctx;
	(void)stop;
	return -EINTR;
}

static void a_run_ends_if_the_callback_at_stop_returns_a_nonzero_result(void **state)
{
	struct sim_cpu_run run = { .at_stop = stop_at_once };

	(void)state;
	assert_int_equal(run_program(&programs[0], &run, NULL), -EINTR);
	assert_int_equal(run.n_insns, 1);
}

static void a_program_is_rejected_if_its_memory_has_too_many_ranges(void **state)
{
	struct sim_cpu_run run = { .at_stop = look_away };
	struct sim_error error;
	struct sim_case c;

	(void)state;
	program_case(&programs[0], &c);
	for (u64 i = 0; i < 300; i++)
		assert_int_equal(
			sim_image_map(c.target.mem, 0x100000 + i * 0x2000, 0x1000, SIM_READ), 0);
	assert_int_equal(sim_cpu_run(&c, &run, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "more than 256 ranges"));
	sim_mem_free(&c.target.mem);
}

/* The code is lea, 3 nops, call *%rax, hlt, ret; it lies in pages of different protection. */
static void an_instruction_that_spans_two_fetch_windows_counts_once(void **state)
{
	static const u8 code[] = { 0x48, 0x8d, 0x05, 6,	   0,	 0,    0,
				   0x90, 0x90, 0x90, 0xff, 0xd0, 0xf4, 0xc3 };
	const struct program p = { "straddle", &sim_arch_x86_64, code, 0, CODE + 0x1001 };
	struct sim_cpu_run run = { .at_stop = look_away };
	struct sim_error error = { "" };
	struct sim_case c;
	int err;

	(void)state;
	program_case(&p, &c);
	c.target.regs.pc = CODE + 0xff5;
	assert_int_equal(sim_image_map(c.target.mem, CODE + 0x1000, 0x1000, RWX), 0);
	assert_int_equal(sim_image_write(c.target.mem, CODE + 0xff5, code, 11), 0);
	assert_int_equal(sim_image_write(c.target.mem, CODE + 0x1000, code + 11, 3), 0);
	err = sim_cpu_run(&c, &run, &error);
	if (err)
		fail_msg("%d, \"%s\"", err, error.text);
	assert_int_equal(run.n_insns, 6);
	sim_mem_free(&c.target.mem);
}

static void simulated_code_can_access_pages_that_are_absent_for_walks(void **state)
{
	struct sim_cpu_run run = { .at_stop = look_away };
	struct sim_case c;

	(void)state;
	program_case(&programs[0], &c);
	assert_int_equal(sim_image_set_present(c.target.mem, STACK_LOW, 0x1000, false), 0);
	assert_int_equal(sim_cpu_run(&c, &run, NULL), 0);
	sim_mem_free(&c.target.mem);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_simulated_program_ends_with_the_expected_result),
		cmocka_unit_test(
			a_simulated_program_fails_if_it_exceeds_the_instruction_limit_by_one),
		cmocka_unit_test(the_true_stack_consists_of_the_pc_and_the_return_addresses),
		cmocka_unit_test(paciasp_signs_the_return_address),
		cmocka_unit_test(a_run_ends_if_the_callback_at_stop_returns_a_nonzero_result),
		cmocka_unit_test(a_program_is_rejected_if_its_memory_has_too_many_ranges),
		cmocka_unit_test(an_instruction_that_spans_two_fetch_windows_counts_once),
		cmocka_unit_test(simulated_code_can_access_pages_that_are_absent_for_walks),
	};

	return CHECK_RUN(tests);
}
