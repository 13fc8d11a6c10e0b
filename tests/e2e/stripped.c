/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * stripped: prints "running", then computes forever in two static functions, in a function that
 * assembly exports without a length, and in the function after it, which has no symbol. The test
 * strips the program, so that only the exported function has a name.
 */

#include <stdio.h>

volatile unsigned long sink;

__attribute__((noinline, noclone)) static unsigned long first(unsigned long n)
{
	for (unsigned long i = 0; i < 200000; i++)
		n = (n ^ i) * 31 + (n >> 7);
	return n;
}

__attribute__((noinline, noclone)) static unsigned long second(unsigned long n)
{
	for (unsigned long i = 0; i < 200000; i++)
		n = (n ^ i) * 37 + (n >> 5);
	return n;
}

#ifdef __x86_64__
#define BODY "\tmov $400000, %ecx\n1:\tdec %ecx\n\tjnz 1b\n\tret\n"
#else
#define BODY "\tldr w9, =400000\n1:\tsubs w9, w9, 1\n\tb.ne 1b\n\tret\n"
#endif

__asm__(".text\n\t.globl exported\n"
	"exported:\n\t.cfi_startproc\n" BODY "\t.cfi_endproc\n"
	"hidden:\n\t.cfi_startproc\n" BODY "\t.cfi_endproc\n");
void exported(void);
void hidden(void);

int main(void)
{
	puts("running");
	fflush(stdout);
	for (;;) {
		sink = second(first(sink));
		exported();
		hidden();
	}
}
