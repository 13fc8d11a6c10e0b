// SPDX-License-Identifier: BSD-2-Clause

/*
 * Tests fixtures whose code fails at run time, because the first instruction of a function is
 * patched. Each run must end with an error that names the function. Other fixtures must run
 * without an error.
 */

#include "../../sim/cpu/cpu.h"
#include "../../sim/fixture/load.h"
#include "../check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT(more)                                                                                 \
	"runtime: native\nfunctions:\n  - {name: main, tier: native, calls: [leaf]}\n"             \
	"  - {name: leaf, tier: native}\n" more
#define PATCH(word) TEXT("faults:\n  - {at: leaf, word: \"" word "\"}\n")

static const struct row {
	const char *name, *text[2], *problem; /* text: for x86-64; for arm64 if it differs */
} rows[] = {
	{ "an_endless_loop_is_stopped",
	  { PATCH("0xfeeb"), PATCH("0x14000000") },
	  "runs longer than 1000000 instructions; it is at leaf" },
	{ "code_is_stopped_at_the_instruction_limit",
	  { TEXT("max_insns: 5\n"), TEXT("max_insns: 5\n") },
	  "runs longer than 5 instructions" },
	{ "exponentially_many_calls_are_stopped",
	  { "runtime: native\nfunctions:\n  - {name: a, tier: native, calls: [b, b, b, b, b, b]}\n"
	    "  - {name: b, tier: native, calls: [c, c, c, c, c, c, c, c]}\n"
	    "  - {name: c, tier: native, calls: [d, d, d, d, d, d, d, d]}\n"
	    "  - {name: d, tier: native, calls: [e, e, e, e, e, e, e, e]}\n"
	    "  - {name: e, tier: native, calls: [f, f, f, f, f, f, f, f]}\n"
	    "  - {name: f, tier: native, calls: [g, g, g, g, g, g, g, g]}\n"
	    "  - {name: g, tier: native}\n" },
	  "runs longer than 1000000 instructions" },
	/* xor %eax, %eax; jmp *%rax    br xzr */
	{ "a_jump_out_of_the_fixture_is_reported",
	  { PATCH("0xe0ff90c031"), PATCH("0xd61f03e0") },
	  "jumps outside of the code of the case, to 0" },
	/* jmp *%rsp    mov x0, sp; br x0 */
	{ "a_jump_into_the_stack_is_reported",
	  { PATCH("0xe4ff"), PATCH("0xd61f0000910003e0") },
	  "jumps outside of the code of the case, to 0x2000040" },
	/* movb $0x90, 0(%rip)    adr x0, .; str x0, [x0] */
	{ "code_that_changes_itself_is_rejected",
	  { PATCH("0x900000000005c6"), PATCH("0xf900000010000000") },
	  "which can't be written" },
	{ "a_system_call_is_rejected",
	  { PATCH("0x050f"), PATCH("0xd4000001") },
	  "makes a system call at leaf" },
	{ "an_undefined_instruction_is_reported", { PATCH("0x0b0f"), PATCH("0") }, "traps" },
	/* addq $1, (%rsp); ret    add x30, x30, #8; ret */
	{ "a_return_to_a_wrong_address_is_reported",
	  { PATCH("0xc30124048348"), PATCH("0xd65f03c0910023de") },
	  "returns to main+" },
	{ "an_unmapped_page_of_code_is_reported",
	  { TEXT("faults:\n  - {at: leaf, make: unmapped}\n") },
	  "jumps outside of the code of the case" },
	{ "an_unmapped_page_of_the_stack_is_reported",
	  { TEXT("faults:\n  - {at: stack+253952, make: unmapped, pages: 2}\n") },
	  "which can't be written" },
	{ "a_write_to_a_protected_page_of_the_stack_is_reported",
	  { TEXT("faults:\n  - {at: stack+253952, make: protected, pages: 2}\n") },
	  "which can't be written" },
};
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };

static struct sim_case *load(const char *text, const struct sim_arch *arch)
{
	char path[] = "/tmp/fixture-XXXXXX";
	struct sim_error error = { "" };
	struct sim_case *c = NULL;
	size_t len = strlen(text);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	if (sim_text_load(path, arch, &c, &error))
		fail_msg("%s", error.text);
	unlink(path);
	return c;
}

static int nothing(void *ctx, const struct sim_stop *stop)
{
	(void)ctx;
	(void)stop;
	return 0;
}

static void run_row(void **state)
{
	const struct row *row = *state;

	for (u32 a = 0; a < 2; a++) {
		const char *text = row->text[a] ? row->text[a] : row->text[0];
		struct sim_case *c = load(text, archs[a]);
		struct sim_cpu_run run = { .at_stop = nothing };
		struct sim_error error = { "" };

		assert_int_equal(sim_cpu_run(c, &run, &error), -ENOEXEC);
		if (!strstr(error.text, row->problem))
			fail_msg("%s: \"%s\" has no \"%s\"", archs[a]->name, error.text,
				 row->problem);
		assert_null(strchr(error.text, '\n'));
		sim_text_free(&c);
	}
}

/* Without the patch, the code of each row runs to its end. */
static void fixture_code_runs_to_its_end_if_it_is_not_patched(void **state)
{
	struct sim_cpu_run run = { .at_stop = nothing };
	struct sim_error error = { "" };
	struct sim_case *c = load(TEXT(""), &sim_arch_x86_64);

	(void)state;
	assert_int_equal(sim_cpu_run(c, &run, &error), 0);
	sim_text_free(&c);
}

/*
 * JavaScript calls C, which calls JavaScript and returns its result. Such a result is not an
 * exception.
 */
static void a_javascript_result_that_c_code_returns_is_not_treated_as_an_exception(void **state)
{
	static const char *const runtimes[] = { "node 18", "node 20", "node 22", "node 24",
						"node 26" };
	static const char *const tiers[] = { "interpreted", "baseline", "optimized" };
	static const char text[] =
		"runtime: %s\nfunctions:\n  - {name: main, tier: native, calls: [e]}\n"
		"  - {name: e, tier: entry, calls: [t]}\n"
		"  - {name: t, tier: trampoline, calls: [x, a]}\n"
		"  - {name: x, tier: exit, calls: [c]}\n"
		"  - {name: a, tier: adaptor, calls: [c]}\n"
		"  - {name: c, tier: native, calls: [e2, e3]}\n"
		"  - {name: e2, tier: construct_entry, calls: [t2]}\n"
		"  - {name: t2, tier: construct_trampoline, calls: [new]}\n"
		"  - {name: new, tier: construct, calls: [f]}\n"
		"  - {name: e3, tier: entry, calls: [t3]}\n"
		"  - {name: t3, tier: trampoline, calls: [f]}\n"
		"  - {name: f, tier: %s}\n";

	(void)state;
	for (u32 i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		for (u32 t = 0; t < sizeof(tiers) / sizeof(tiers[0]); t++)
			for (u32 a = 0; a < 2; a++) {
				struct sim_cpu_run run = { .at_stop = nothing };
				struct sim_error error = { "" };
				struct sim_case *c;
				char filled[2048];

				snprintf(filled, sizeof(filled), text, runtimes[i], tiers[t]);
				c = load(filled, archs[a]);
				if (sim_cpu_run(c, &run, &error))
					fail_msg("%s, %s, %s: %s", runtimes[i], tiers[t],
						 archs[a]->name, error.text);
				sim_text_free(&c);
			}
}

static struct CMUnitTest tests[N_ROWS + 2] = {
	cmocka_unit_test(fixture_code_runs_to_its_end_if_it_is_not_patched),
	cmocka_unit_test(a_javascript_result_that_c_code_returns_is_not_treated_as_an_exception),
};

int main(void)
{
	for (size_t i = 0; i < N_ROWS; i++)
		tests[i + 2] = (struct CMUnitTest){ .name = rows[i].name,
						    .test_func = run_row,
						    .initial_state = (void *)&rows[i] };
	return check_run("fixture runs", tests, N_ROWS + 2);
}
