/* SPDX-License-Identifier: BSD-2-Clause */

	.text
	.globl interrupted, interrupted_at
	.type interrupted, %function
interrupted:
	mov x9, sp
	str x9, [x0]
	mov x29, x1
	mov x30, x2
interrupted_at:
	.inst 0 /* udf #0 */
	.size interrupted, . - interrupted
	.section .note.GNU-stack, "", %progbits
