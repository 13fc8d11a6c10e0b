/* SPDX-License-Identifier: BSD-2-Clause */

	.text
	.globl interrupted, interrupted_at
	.type interrupted, %function
interrupted:
	mov %rsp, (%rdi)
	mov %rsi, %rbp
	mov %rdx, %r10
	lea 1(%rdx), %rax
	lea 2(%rdx), %rcx
	lea 3(%rdx), %r9
	lea 4(%rdx), %r11
interrupted_at:
	ud2
	.size interrupted, . - interrupted
	.section .note.GNU-stack, "", %progbits
