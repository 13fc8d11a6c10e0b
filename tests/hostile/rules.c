// SPDX-License-Identifier: BSD-2-Clause
/*
 * rules: executes code that has a different unwind rule at each of its 9,000 instructions, for
 * ever. FIRST is the first offset of the CFA; a second program with other offsets has other rules.
 * Prints "running".
 */

#include <stdio.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

int main(void)
{
	puts("running");
	fflush(stdout);
	for (;;)
		asm volatile(".cfi_remember_state\n"
			     ".set offset, " TEXT(FIRST) "\n"
							 ".rept 9000\n"
							 ".cfi_def_cfa_offset offset\n"
							 ".set offset, offset + 8\n"
							 "nop\nnop\nnop\nnop\n"
							 ".endr\n"
							 ".cfi_restore_state\n");
}
