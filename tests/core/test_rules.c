// SPDX-License-Identifier: BSD-2-Clause

/*
 * The return address slot by instruction: arch_ra_slot() of both architectures. The
 * encodings are those of llvm-mc 14.
 */

#include "v8_sequences.h"
#include "walks.h"

#define IN_FRAME (-1)
#define IN_LR (-2)
#define IN_SCRATCH (-3) /* minus the register */

struct rule {
	const char *insn;
	u32 bytes; /* bytes at pc, little-endian; x86-64: up to four bytes */
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
	{ "mov %rsp,%rbp, encoded as 8b", 0xec8b48, 8 },
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
			print_error("%s: %s: got return address slot %d, expected %d\n", arch->name,
				    rules[i].insn, slot, rules[i].slot);
		n_wrong++;
	}
	return n_wrong;
}

static void return_address_slot_is_derived_from_the_x86_instruction_at_pc(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(&sim_arch_x86_64, x86_rules, N(x86_rules), true), 0);
}

static void return_address_slot_is_derived_from_the_arm64_instruction_at_pc(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(&sim_arch_arm64, arm64_rules, N(arm64_rules), true), 0);
}

/* On x86-64 the result depends only on the instruction's bytes, not on those after it. */
static void bytes_after_an_x86_instruction_do_not_affect_the_slot(void **state)
{
	(void)state;
	for (u32 next = 0; next < 256; next++) {
		assert_int_equal(sim_arch_x86_64.ra_slot(0x55 | next << 8 | next << 16), 0);
		assert_int_equal(sim_arch_x86_64.ra_slot(0xc3 | next << 8 | next << 24), 0);
		assert_int_equal(sim_arch_x86_64.ra_slot(0xe58948 | next << 24), 8);
	}
}

/*
 * The architectures have no rule in common, so every rule of one architecture gives a wrong slot on
 * the other.
 */
static void return_address_rules_of_one_architecture_give_wrong_slots_on_the_other(void **state)
{
	(void)state;
	assert_int_equal(count_wrong(&sim_arch_arm64, x86_rules, N(x86_rules), false), 8);
	assert_int_equal(count_wrong(&sim_arch_x86_64, arm64_rules, N(arm64_rules), false), 12);
}

/* Finds the slot of the return address as v8_top_step() does. */
static int v8_slot(const struct sim_arch *arch, const u8 *code)
{
	u32 insn;
	int slot;

	memcpy(&insn, code + arch->v8_before, sizeof(insn));
	slot = arch->ra_slot(insn);
	return slot == IN_FRAME && arch->v8_is_window(insn) ? arch->v8_ra_slot(code) : slot;
}

static void v8_code_that_drops_arguments_keeps_the_return_address_in_a_register(void **state)
{
	(void)state;
	for (size_t i = 0; i < N(v8_drops); i++) {
		const struct v8_drop *d = &v8_drops[i];
		int slot = IN_SCRATCH - (int)d->scratch;
		u8 around[128] = {};

		memcpy(around + sim_arch_x86_64.v8_before, d->bytes, sizeof(d->bytes));
		assert_int_equal(v8_slot(&sim_arch_x86_64, around), slot);
		assert_int_equal(v8_slot(&sim_arch_x86_64, around + d->push_at), slot);
		around[sim_arch_x86_64.v8_before + d->push_at + 2] = 0x90;
		assert_int_equal(v8_slot(&sim_arch_x86_64, around), IN_FRAME);
		assert_int_equal(v8_slot(&sim_arch_x86_64, around + d->push_at), IN_FRAME);
	}
}

/* Checks only instruction boundaries, since pc is never inside an instruction. */
static void frameless_v8_code_on_x86_has_the_return_address_at_sp(void **state)
{
	const u32 before = sim_arch_x86_64.v8_before;

	(void)state;
	for (size_t i = 0; i < N(v8_x86_sequences); i++) {
		const struct v8_sequence *s = &v8_x86_sequences[i];
		u8 code[128] = {};
		u32 found = 0;

		memcpy(code + before, s->bytes, sizeof(s->bytes));
		for (u32 at = 0; at < 32; at++)
			found |= (u32)(v8_slot(&sim_arch_x86_64, code + at) == 0) << at;
		if ((found & s->outside) != s->outside || (!s->outside && found))
			print_error("%s: %x, not %x\n", s->name, found, s->outside);
		assert_int_equal(found & s->outside, s->outside);
		assert_true(s->outside || !found);
	}
}

static void frameless_v8_code_on_arm64_has_the_return_address_in_lr(void **state)
{
	const struct sim_arch *arch = &sim_arch_arm64;

	(void)state;
	for (size_t i = 0; i < N(v8_arm64_sequences); i++) {
		const struct v8_arm64_sequence *s = &v8_arm64_sequences[i];
		u8 code[128] = {};
		u32 found = 0;

		memcpy(code + arch->v8_before, s->words, sizeof(s->words));
		for (u32 at = 0; at < N(s->words); at++)
			found |= (u32)(v8_slot(arch, code + 4 * at) == IN_LR) << at;
		if (found != s->outside)
			print_error("%s: %x, not %x\n", s->name, found, s->outside);
		assert_int_equal(found, s->outside);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(return_address_slot_is_derived_from_the_x86_instruction_at_pc),
		cmocka_unit_test(return_address_slot_is_derived_from_the_arm64_instruction_at_pc),
		cmocka_unit_test(bytes_after_an_x86_instruction_do_not_affect_the_slot),
		cmocka_unit_test(frameless_v8_code_on_x86_has_the_return_address_at_sp),
		cmocka_unit_test(frameless_v8_code_on_arm64_has_the_return_address_in_lr),
		cmocka_unit_test(
			v8_code_that_drops_arguments_keeps_the_return_address_in_a_register),
		cmocka_unit_test(
			return_address_rules_of_one_architecture_give_wrong_slots_on_the_other),
	};

	return CHECK_RUN(tests);
}
