// SPDX-License-Identifier: BSD-2-Clause

/* The CPU tells the truth about calls, and refuses whatever it can't vouch for. */

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
	{ "a direct call with a prefix: addr32 call", &sim_arch_x86_64,
	  X86(0x67, 0xe8, 1, 0, 0, 0, 0xf4, 0xc3), CODE + 6, 2, NULL },
	{ "an endless loop", &sim_arch_x86_64,
	  X86(0xeb, 0xfe), CODE + 8, 10000, "runs longer than 10000 instructions" },
	{ "a jump out of the case", &sim_arch_x86_64,
	  X86(0xe9, 0xfb, 0xff, 0x07, 0), CODE + 8, 1, "jumps out of the case's code, to 0x90000" },
	{ "a jump into the stack", &sim_arch_x86_64,
	  X86(0xff, 0xe4), CODE + 8, 1, "jumps out of the case's code, to 0x7fff00000800" },
	{ "a system call", &sim_arch_x86_64,
	  X86(0x90, 0x0f, 0x05), CODE + 8, 2, "makes a system call at 0x10001" },
	{ "a halt", &sim_arch_x86_64, X86(0xf4), CODE + 8, 1, "halts" },
	{ "no instruction", &sim_arch_x86_64, X86(0x0f, 0x0b), CODE + 8, 1, "traps" },
	{ "a return without a call", &sim_arch_x86_64,
	  X86(0x68, 8, 0, 1, 0, 0xc3, 0x90, 0x90, 0x90), CODE + 9, 2, "nothing called it" },
	{ "a return to where no call was", &sim_arch_x86_64,
	  X86(0xe8, 5, 0, 0, 0, 0x90, 0x90, 0x90, 0x90, 0x90, 0x48, 0x83, 4, 0x24, 2, 0xc3),
	  CODE + 9, 3, "returns to 0x10007, but was called from before 0x10005" },
	{ "code that changes itself", &sim_arch_x86_64,
	  X86(0xc6, 0x05, 0, 0, 0, 0, 0x90, 0x90), CODE + 8, 1,
	  "stores to executable memory at 0x10007", .code_prot = RWX },
	{ "a store to protected code", &sim_arch_x86_64,
	  X86(0xc6, 0x05, 0, 0, 0, 0, 0x90, 0x90), CODE + 8, 1, "writes 0x10007, which can't be" },
	{ "a load from nowhere", &sim_arch_x86_64,
	  X86(0x48, 0x8b, 4, 0x25, 0, 0, 5, 0), CODE + 8, 1, "reads 0x50000, which can't be read" },
	{ "endless recursion", &sim_arch_x86_64,
	  X86(0xe8, 0xfb, 0xff, 0xff, 0xff), CODE + 8, 4097, "calls nest deeper than 4096",
	  .sp = STACK_LOW + STACK_LEN },
	{ "a start outside of code", &sim_arch_x86_64,
	  X86(0x90), CODE + 8, 0, "jumps out of the case's code", .code_prot = SIM_READ },

	{ "bl and ret", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd65f03c0), CODE + 4, 2, NULL },
	{ "bl, paciasp, retaa", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd503233f, 0xd65f0bff), CODE + 4, 3, NULL },
	{ "adr, paciza, blraaz, ret", &sim_arch_arm64,
	  ARM(0x10000081, 0xdac123e1, 0xd63f083f, 0xd4400000, 0xd65f03c0), CODE + 12, 4, NULL },
	{ "bl, paciasp, a broken signature, retaa", &sim_arch_arm64,
	  ARM(0x94000002, 0xd4400000, 0xd503233f, 0x910013ff, 0xd65f0bff), CODE + 4, 4, "to 0x20000000010004" },
	{ "an endless loop", &sim_arch_arm64,
	  ARM(0x14000000), CODE + 8, 10000, "runs longer than 10000 instructions" },
	{ "a system call", &sim_arch_arm64, ARM(0xd4000001), CODE + 8, 1, "makes a system call" },
	{ "a return without a call", &sim_arch_arm64,
	  ARM(0x1000005e, 0xd65f03c0, 0xd503201f), CODE + 12, 2, "nothing called it" },
	{ "a wait", &sim_arch_arm64, ARM(0xd503207f), CODE + 8, 1, "halts" },
	{ "no instruction", &sim_arch_arm64, ARM(0), CODE + 8, 1, "traps" },
	{ "a jump out of the case", &sim_arch_arm64,
	  ARM(0x17ffffff), CODE + 8, 1, "jumps out of the case's code, to 0xfffc" },
	{ "code that changes itself", &sim_arch_arm64,
	  ARM(0x10000000, 0xf9000000), CODE + 8, 2, "stores to executable memory at 0x10000",
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

static void programs_end_as_said(void **state)
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

static void a_program_that_ends_well_does_not_within_less(void **state)
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

static void truth_is_the_pc_and_the_return_addresses_above(void **state)
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

/* With these keys and this sp, an independent run of Unicorn gave the signature 0x7d. */
static void return_addresses_are_really_signed(void **state)
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

static void what_a_stop_returns_ends_the_run(void **state)
{
	struct sim_cpu_run run = { .at_stop = stop_at_once };

	(void)state;
	assert_int_equal(run_program(&programs[0], &run, NULL), -EINTR);
	assert_int_equal(run.n_insns, 1);
}

static void memory_in_too_many_pieces_is_refused(void **state)
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
	assert_non_null(strstr(error.text, "more than 256 pieces"));
	sim_mem_free(&c.target.mem);
}

static void code_may_use_pages_that_a_reader_finds_absent(void **state)
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
		cmocka_unit_test(programs_end_as_said),
		cmocka_unit_test(a_program_that_ends_well_does_not_within_less),
		cmocka_unit_test(truth_is_the_pc_and_the_return_addresses_above),
		cmocka_unit_test(return_addresses_are_really_signed),
		cmocka_unit_test(what_a_stop_returns_ends_the_run),
		cmocka_unit_test(memory_in_too_many_pieces_is_refused),
		cmocka_unit_test(code_may_use_pages_that_a_reader_finds_absent),
	};

	return CHECK_RUN(tests);
}
