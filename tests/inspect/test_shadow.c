/* SPDX-License-Identifier: BSD-2-Clause */

/* What the judge of single steps takes instructions of x86-64 for; as objdump reads the bytes. */

#include "../check.h"
#include "shadow_stack.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

static void instructions_are_what_they_do_to_a_stack(void **state)
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
		{ { 0x8b, 0x45, 8 }, SHADOW_OTHER }, /* mov 8(%rbp), %eax: half of it */
		{ { 0x48, 0x8b, 0x45, 16 }, SHADOW_OTHER }, /* mov 16(%rbp), %rax */
		{ { 0x48, 0x8b, 0x44, 0x24, 8 }, SHADOW_OTHER }, /* mov 8(%rsp), %rax */
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++)
		assert_int_equal(shadow_classify(rows[i].insn), rows[i].is);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_what_they_do_to_a_stack),
	};

	return CHECK_RUN(tests);
}
