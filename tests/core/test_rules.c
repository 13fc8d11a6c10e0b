// SPDX-License-Identifier: BSD-2-Clause

/*
 * Where the return address is, by the instruction: arch_ra_slot() of both
 * architectures. The encodings are what llvm-mc 14 makes of the mnemonics.
 */

#include "walks.h"

#define IN_FRAME (-1)
#define IN_LR (-2)

struct rule {
	const char *insn;
	u32 bytes; /* as they lie at pc, little-endian; x86: of up to four bytes */
	int slot;
};

static const struct rule x86_rules[] = {
	{ "push %rbp", 0x55, 0 },
	{ "push %rbp; mov %rsp,%rbp", 0xe5894855, 0 },
	{ "endbr64", 0xfa1e0ff3, 0 },
	{ "ret", 0xc3, 0 },
	{ "rep ret", 0xc3f3, 0 },
	{ "ret $16", 0x0010c2, 0 },
	{ "mov %rsp,%rbp", 0xe58948, 8 },
	{ "mov %rsp,%rbp, the other form", 0xec8b48, 8 },
	{ "nop", 0x90, IN_FRAME },
	{ "pop %rbp", 0x5d, IN_FRAME },
	{ "push %rbx", 0x53, IN_FRAME },
	{ "push %r13", 0x5541, IN_FRAME },
	{ "leave", 0xc9, IN_FRAME },
	{ "lret", 0xcb, IN_FRAME },
	{ "mov %rbp,%rsp", 0xec8948, IN_FRAME },
	{ "mov %rsp,%rax", 0xe08948, IN_FRAME },
	{ "mov %esp,%ebp", 0xe589, IN_FRAME },
	{ "endbr32", 0xfb1e0ff3, IN_FRAME },
	{ "rdsspq %rax", 0x1e0f48f3, IN_FRAME },
	{ "pause", 0x90f3, IN_FRAME },
	{ "zeroes", 0, IN_FRAME },
};

static const struct rule arm64_rules[] = {
	{ "stp x29, x30, [sp, #-16]!", 0xa9bf7bfd, IN_LR },
	{ "stp x29, x30, [sp, #-512]!", 0xa9a07bfd, IN_LR },
	{ "stp x29, x30, [sp]", 0xa9007bfd, IN_LR },
	{ "stp x29, x30, [sp, #504]", 0xa91ffbfd, IN_LR },
	{ "mov x29, sp", 0x910003fd, IN_LR },
	{ "add x29, sp, #48", 0x9100c3fd, IN_LR },
	{ "ret", 0xd65f03c0, IN_LR },
	{ "retaa", 0xd65f0bff, IN_LR },
	{ "retab", 0xd65f0fff, IN_LR },
	{ "paciasp", 0xd503233f, IN_LR },
	{ "autiasp", 0xd50323bf, IN_LR },
	{ "bti c", 0xd503245f, IN_LR },
	{ "nop", 0xd503201f, IN_FRAME },
	{ "ldp x29, x30, [sp], #16", 0xa8c17bfd, IN_FRAME },
	{ "ldp x29, x30, [sp, #16]", 0xa9417bfd, IN_FRAME },
	{ "stp x27, x28, [sp, #16]", 0xa90173fb, IN_FRAME },
	{ "stp x29, x30, [x0, #16]", 0xa901781d, IN_FRAME },
	{ "mov x29, x0", 0xaa0003fd, IN_FRAME },
	{ "add x28, sp, #48", 0x9100c3fc, IN_FRAME },
	{ "sub sp, sp, #80", 0xd10143ff, IN_FRAME },
	{ "ret x1", 0xd65f0020, IN_FRAME },
	{ "br x30", 0xd61f03c0, IN_FRAME },
	{ "blr x30", 0xd63f03c0, IN_FRAME },
	{ "udf #0", 0, IN_FRAME },
};

#define N(rules) (sizeof(rules) / sizeof((rules)[0]))

static u32 count_wrong(const struct sim_arch *arch, const struct rule *rules, size_t n, bool say)
{
	u32 n_wrong = 0;

	for (size_t i = 0; i < n; i++) {
		int slot = arch->ra_slot(rules[i].bytes);

		if (slot == rules[i].slot)
			continue;
		if (say)
			print_error("%s: %s is at %d, not %d\n", arch->name, rules[i].insn, slot,
				    rules[i].slot);
		n_wrong++;
	}
	return n_wrong;
}

static void x86_instruction_tells_where_the_return_address_is(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(&sim_arch_x86_64, x86_rules, N(x86_rules), true), 0);
}

static void arm64_instruction_tells_where_the_return_address_is(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(&sim_arch_arm64, arm64_rules, N(arm64_rules), true), 0);
}

/* On x86 only the first bytes count, whatever follows them. */
static void bytes_behind_an_x86_instruction_do_not_matter(void **state)
{
	(void)state;
	for (u32 next = 0; next < 256; next++) {
		assert_int_equal(sim_arch_x86_64.ra_slot(0x55 | next << 8 | next << 16), 0);
		assert_int_equal(sim_arch_x86_64.ra_slot(0xc3 | next << 8 | next << 24), 0);
		assert_int_equal(sim_arch_x86_64.ra_slot(0xe58948 | next << 24), 8);
	}
}

/* The architectures do not share a rule: each table is wrong for the other in every rule. */
static void rules_of_one_architecture_are_not_those_of_the_other(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(&sim_arch_arm64, x86_rules, N(x86_rules), false), 8);
	assert_int_equal(count_wrong(&sim_arch_x86_64, arm64_rules, N(arm64_rules), false), 12);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_instruction_tells_where_the_return_address_is),
		cmocka_unit_test(arm64_instruction_tells_where_the_return_address_is),
		cmocka_unit_test(bytes_behind_an_x86_instruction_do_not_matter),
		cmocka_unit_test(rules_of_one_architecture_are_not_those_of_the_other),
	};

	return CHECK_RUN(tests);
}
