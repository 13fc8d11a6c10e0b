/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Call frame information as in hand-written assembly and in the output of linkers, with every CFI
 * instruction at least once. The code does nothing and is never run. DW_CFA_* and DW_OP_* numbers
 * are from DWARF 5, 7.24 and 7.7.1.
 */

#ifndef FAR
#define FAR 70000
#endif
#ifdef SECTION
	.cfi_sections SECTION
#endif

	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm

	.text

	/* DW_CFA_def_cfa_expression: *(rsp + 8) + 8, as in OpenSSL's perlasm */
	function at_sp
	.cfi_startproc
	nop
	.cfi_escape 0x0f, 5, 0x77, 8, 0x06, 0x23, 8
	nop
	.cfi_remember_state
	.cfi_def_cfa rsp, 24
	.cfi_offset rbp, -16
	nop
	.cfi_restore_state
	nop
	.cfi_escape 0x0f, 5, 0x76, 0x78, 0x06, 0x38, 0x22 /* *(rbp - 8) + 8: DW_OP_lit8, plus */
	nop
	.cfi_def_cfa rax, 8 /* based on another register, for which there is no rule */
	nop
	.cfi_endproc

	/* Frames that gcc realigns. */
	function aligned
	.cfi_startproc
	nop
	.cfi_def_cfa r10, 0
	nop
	.cfi_escape 0x10, 6, 2, 0x76, 0 /* rbp at *(rbp + 0) */
	nop
	.cfi_escape 0x0f, 3, 0x76, 0x78, 0x06 /* *(rbp - 8) */
	nop
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	nop
	.cfi_endproc

	/*
	 * The expression that binutils emits for a PLT, with each number that binutils uses in it.
	 */
	function plt
	.cfi_startproc
	nop
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
	nop
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22
	nop
	/*
	 * A similar expression, which must not be recognized as that of a PLT: it has DW_OP_lit2
	 * instead of DW_OP_lit3.
	 */
	.cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x32, 0x24, 0x22
	nop
	.cfi_endproc

	/* A signal frame described as in glibc, then one described in another way. */
	function signal_frame
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
	nop
	.cfi_escape 0x0f, 4, 0x77, 0xa8, 0x01, 0x06
	nop
	.cfi_endproc

	/* Every encoding of a register's location. */
	function registers
	.cfi_startproc
	nop
	.cfi_register rbp, r9
	nop
	.cfi_same_value rbp
	nop
	.cfi_undefined rbp
	nop
	.cfi_escape 0x14, 6, 2 /* DW_CFA_val_offset */
	nop
	.cfi_escape 0x15, 6, 0x7e /* DW_CFA_val_offset_sf */
	nop
	.cfi_escape 0x11, 6, 3 /* DW_CFA_offset_extended_sf: cfa-24 */
	nop
	.cfi_escape 0x05, 6, 4 /* DW_CFA_offset_extended: cfa-32 */
	nop
	.cfi_escape 0x06, 6 /* DW_CFA_restore_extended */
	nop
	.cfi_escape 0x16, 6, 2, 0x77, 0 /* DW_CFA_val_expression */
	nop
	.cfi_escape 0x12, 7, 0x7e /* DW_CFA_def_cfa_sf: rsp+16 */
	nop
	.cfi_escape 0x13, 0x7d /* DW_CFA_def_cfa_offset_sf: 24 */
	nop
	.cfi_escape 0x2e, 16 /* DW_CFA_GNU_args_size */
	.cfi_register rsp, r8
	nop
	.cfi_escape 0x14, 7, 0 /* DW_CFA_val_offset: rsp is the CFA */
	nop
	.cfi_register rip, rdx
	nop
	.cfi_endproc

	/* Nested remembered states. */
	function nested
	.cfi_startproc
	nop
	.cfi_remember_state
	.cfi_adjust_cfa_offset 8
	nop
	.cfi_remember_state
	.cfi_adjust_cfa_offset 8
	.cfi_offset rbp, -24
	nop
	.cfi_restore_state
	nop
	.cfi_restore_state
	nop
	.cfi_endproc

	/* Across pages: DW_CFA_advance_loc1, _loc2 and _loc4. */
	function long
	.cfi_startproc
	.skip 200
	.cfi_adjust_cfa_offset 8
	.skip 5000
	.cfi_adjust_cfa_offset 8
	.skip FAR
	.cfi_adjust_cfa_offset 70000
	nop
	.cfi_endproc

	/* A gap without call frame information. */
	.skip 33

	function nobody_called
	.cfi_startproc
	nop
	.cfi_undefined rip
	nop
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
