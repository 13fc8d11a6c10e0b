/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * Unwind rows of hand-made builtins with V8's instruction sequences. For each byte, a letter gives
 * the rule, derived by hand from the effect of the instructions on the stack.
 *
 *	0 to 9	cfa = sp + 8 * (n + 1), fp is the caller's
 *	p	cfa = sp: the return address is below sp
 *	a, b	*sp is a former sp, 0 or 1 words below the return address
 *	x to z	like 2 to 4, and fp points to the second word, which has the caller's fp
 *	d	*sp is a former sp, the return address 24 bytes above that, the caller's fp 8 bytes
 *	I	cfa = *fp + 16: fp points to the pushed fp of a frame
 *	F	cfa = fp + 16
 *	r, c	the return address is in r10, rcx
 *	@	cfa = r8 + 8: r8 is a former sp
 *	L to P	cfa = sp + 0 to 64, the return address is in lr (arm64)
 *	s	cfa = sp + 32, the return address is saved at cfa - 24 (arm64)
 *	E	cfa = fp + 32: the record is at cfa - 32, below two other words (arm64)
 *	.	there is no rule
 *
 * On arm64 there is one letter for each instruction.
 */

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "../../inspect/v8/arch/v8_arches.h"
#include "../../inspect/v8/v8_build.h"
#include "../../inspect/v8/v8_rows.h"
#include "../check.h"
#include "made_cfi.h"

#define FRAME "\x55\x48\x89\xe5" /* push %rbp; mov %rsp, %rbp */
#define UNFRAME "\x48\x8b\xe5\x5d" /* mov %rbp, %rsp; pop %rbp */
/* mov %rsp, %r10; sub $8, %rsp; and $-16, %rsp; mov %r10, (%rsp) */
#define ALIGN "\x49\x89\xe2\x48\x83\xec\x08\x48\x83\xe4\xf0\x4c\x89\x14\x24"
#define NOP "\x8b\xc1" /* mov %ecx, %eax */
#define TEN_NOPS "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"

/* stp x29, x30, [sp, #-16]!; mov x29, sp */
#define FRAME_ARM64 "\xfd\x7b\xbf\xa9\xfd\x03\x00\x91"
/* mov sp, x29; ldp x29, x30, [sp], #16 */
#define UNFRAME_ARM64 "\xbf\x03\x00\x91\xfd\x7b\xc1\xa8"
#define NOP_ARM64 "\x1f\x20\x03\xd5"
#define TEN_NOPS_ARM64                                                                             \
	NOP_ARM64 NOP_ARM64 NOP_ARM64 NOP_ARM64 NOP_ARM64 NOP_ARM64 NOP_ARM64 NOP_ARM64 NOP_ARM64  \
		NOP_ARM64
#define RET_ARM64 "\xc0\x03\x5f\xd6"

static const struct row {
	const char *test, *name, *code, *rules;
	bool is_arm64;
} rows[] = {
	{ "leaf_keeps_its_return_address_at_sp", "A", NOP "\xc3", "000" },
	/* push %rax, %rcx; pop %rcx; add $8, %rsp */
	{ "pushes_and_pops_are_counted", "A", "\x50\x51" NOP "\x59\x48\x83\xc4\x08\xc3",
	  "0122211110" },
	{ "frame_counts_once_fp_is_set", "A", FRAME NOP UNFRAME "\xc3", "0111FFFFFF0" },
	{ "callee_may_take_arguments_off_in_a_frame", "A",
	  FRAME "\x50\xe8\x00\x00\x00\x00" UNFRAME "\xc2\x08\x00", "0111FFFFFFFFFF000" },
	{ "call_without_a_frame_leaves_sp_alone", "A", "\x51\xe8\x00\x00\x00\x00\x59\xc3",
	  "01111110" },
	/* pop %r10; lea (%rsp,%rcx,8), %rsp; push %r10 */
	{ "return_address_is_moved_in_r10", "A", "\x41\x5a\x48\x8d\x24\xcc\x41\x52\xc3",
	  "00rrrrrr0" },
	/* pop %r10; mov %edx, %r10d; push %r10; nop; jmp to the nop */
	{ "r10_that_is_overwritten_is_lost", "A", "\x41\x5a\x44\x8b\xd2\x41\x52\x90\xeb\xfd",
	  "00rrr....." },
	/* pop %rcx; mov; lea (%rsp,%rbx,8), %rsp; push %rax; push %rcx; jmp *%rax */
	{ "return_address_is_moved_in_a_scratch_register", "A",
	  "\x59" NOP "\x48\x8d\x24\xdc\x50\x51\xff\xe0", "0cccccccc00" },
	/* pop %rcx; mov %eax, %ecx; push %rcx; nop; jmp to the nop */
	{ "scratch_register_that_is_overwritten_is_lost", "A", "\x59\x8b\xc8\x51\x90\xeb\xfd",
	  "0cc...." },
	/* mov 8(%rbp), %rcx; mov (%rbp), %rbp; lea 8(%r15), %rsp; push %rcx */
	{ "return_address_is_copied_before_the_frame_is_taken_down", "A",
	  FRAME "\x48\x8b\x4d\x08\x48\x8b\x6d\x00\x49\x8d\x67\x08\x51\xc3", "0111FFFFFFFFccccc0" },
	/* mov 16(%rbp), %rcx; the rest as in the previous row */
	{ "other_word_is_no_copy_of_the_return_address", "A",
	  FRAME "\x48\x8b\x4d\x10\x48\x8b\x6d\x00\x49\x8d\x67\x08\x51\xc3", "0111FFFFFFFF.....0" },
	/* pop %rdx; push %rdx; jmp *%rcx */
	{ "popped_return_address_is_below_sp", "A", "\x5a" NOP "\x52\xff\xe1", "0ppp00" },
	/* push %rcx; push %rax; push 16(%rsp); mov %rdx, 24(%rsp); ret */
	{ "return_address_is_copied_down", "A", "\x51\x50\xff\x74\x24\x10\x48\x89\x54\x24\x18\xc3",
	  "012222000000" },
	/* push %rcx; push 16(%rsp); nop; add $16, %rsp; ret */
	{ "word_above_the_return_address_is_no_copy", "A",
	  "\x51\xff\x74\x24\x10\x90\x48\x83\xc4\x10\xc3", "01111222220" },
	/* mov %rsp, %r8; sub %rbx, %rsp; mov (%r8), %r10; mov %r10, (%rsp,%r11,8); ret */
	{ "return_address_is_where_sp_was", "A",
	  "\x4c\x8b\xc4\x48\x2b\xe3\x4d\x8b\x10\x4e\x89\x14\xdc\xc3", "000000@@@@@@@0" },
	/*
	 * mov %rsp, %r8; sub %rbx, %rsp; loop: mov (%r8,%r11,8), %r10; mov %r10, (%rsp,%r11,8); inc
	 * %r11; jl loop; ret. In the first two instructions of the loop, the cfa is unknown.
	 */
	{ "return_address_is_copied_by_a_loop", "A",
	  "\x4c\x8b\xc4\x48\x2b\xe3\x4f\x8b\x14\xd8\x4e\x89\x14\xdc\x49\xff\xc3\x7c\xf3\xc3",
	  "000000........000000" },
	/* mov %rsp, %r8; mov %ecx, %r8d; sub %rbx, %rsp; nop; jmp to the nop */
	{ "where_sp_was_is_forgotten_with_its_register", "A",
	  "\x4c\x8b\xc4\x44\x8b\xc1\x48\x2b\xe3\x90\xeb\xfd", "000000000..." },
	/* test %eax, %eax; je to the nop; push %rax; nop; ret $0 */
	{ "two_ways_that_do_not_agree_are_lost_up_to_the_exit", "A",
	  "\x85\xc0\x74\x01\x50\x90\xc2\x00\x00", "00000.000" },
	/* push %rax twice; mov (%rbp), %rbp; mov; add $24, %rsp; jmp *%rcx */
	{ "frame_is_taken_off_before_a_builtin_is_left_for_another", "A",
	  FRAME "\x50\x50\x48\x8b\x6d\x00" NOP "\x48\x83\xc4\x18\xff\xe1", "0111FFFFFF33333300" },
	/* two paths after add $24, %rsp: testl $1, 8(%rcx); jne; mov; jmp; mov; mov; jmp *%rcx */
	{ "frame_is_taken_off_before_a_builtin_is_left_by_two_ways", "A",
	  FRAME "\x50\x50\x48\x8b\x6d\x00\x48\x83\xc4\x18\xf7\x41\x08\x01\x00\x00\x00\x75\x04" NOP
		"\xeb\x02" NOP NOP "\xff\xe1",
	  "0111FFFFFF33330000000000000000000" },
	/*
	 * mov (%rbp), %rbp; push %rax; test %eax, %eax; jne to the push; mov; add $24, %rsp; jmp
	 * *%rcx
	 */
	{ "frame_that_is_taken_off_before_a_loop_is_lost_in_it", "A",
	  FRAME "\x48\x8b\x6d\x00\x50\x85\xc0\x75\xfb" NOP "\x48\x83\xc4\x18\xff\xe1",
	  "0111FFFF.....33333300" },
	/* mov (%rbp), %rbp; add $8, %rsp; push %rcx; push 8(%rsp); mov %rdx, 16(%rsp); jmp *%rcx */
	{ "return_address_is_copied_down_before_a_builtin_is_left", "A",
	  FRAME "\x48\x8b\x6d\x00\x48\x83\xc4\x08\x51\xff\x74\x24\x08\x48\x89\x54\x24\x10\xff\xe1",
	  "0111FFFF1111011110000000" },
	/* as in the previous row, but the last word is pushed from a register */
	{ "word_of_a_register_is_no_copy_of_the_return_address", "A",
	  FRAME "\x48\x8b\x6d\x00\x48\x83\xc4\x08\x51\x52\xff\xe1", "0111FFFF......00" },
	/* jmp over unreachable code */
	{ "code_that_nothing_leads_to_has_the_frame", "A", FRAME "\xeb\x02" NOP UNFRAME "\xc3",
	  "0111FFFFFFFF0" },
	{ "code_that_nothing_leads_to_has_no_frame_where_there_is_none", "A",
	  "\xeb\x02" NOP NOP "\xc3", "0000000" },
	/*
	 * The mov after the ret falls through to a ret that has no frame, so the mov has no frame
	 * either.
	 */
	{ "trial_that_contradicts_itself_changes_nothing", "A", FRAME UNFRAME "\xc3" NOP "\xc3",
	  "0111FFFF0000" },
	{ "code_that_traps_has_no_frame_where_there_is_none", "A", "\xc3" NOP "\x0f\x0b", "0...." },
	/* jmp to the ret, where the frame is gone */
	{ "trial_that_contradicts_what_is_known_changes_nothing", "A",
	  FRAME UNFRAME "\xc3" NOP "\xeb\xfb", "0111FFFF00000" },
	/*
	 * jmp over the nops; each nop leads to a ret without popping a frame, which contradicts
	 * the assumption that the nop has a frame
	 */
	{ "trials_of_one_builtin_end_some_time", "A",
	  FRAME "\xeb\x30" TEN_NOPS TEN_NOPS TEN_NOPS TEN_NOPS "\xc3" NOP UNFRAME "\xc3" UNFRAME
		"\xc3",
	  "0111FF........................................0......0FFFF0" },
	{ "handler_counts_as_its_function", "LdaSmiHandler", FRAME NOP UNFRAME "\xc3",
	  "FFFFFFFFFFF" },
	/* push %rax; push, mov; push %rdx; ...; call; mov (%rsp), %rsp; pop %rax; jmp *%rbx */
	{ "frame_behind_another_word_is_no_record", "A",
	  "\x50" FRAME "\x52" ALIGN "\xe8\x00\x00\x00\x00\x48\x8b\x24\x24" UNFRAME "\x58\xff\xe3",
	  "01222xyyyyyyyzzzz....dddddddddyyyx100" },
	/* as in the previous row, and another word is dropped: add $8, %rsp */
	{ "builtin_that_drops_its_return_address_counts_as_its_caller", "A",
	  "\x50" FRAME UNFRAME "\x58\x48\x83\xc4\x08\xff\xe3", "01222xxxx10000FF" },
	/* push %rax; push, mov; push %rdx; call; pop %rax; jmp *%rbx */
	{ "frame_within_a_frame_leads_to_it", "BaselineOrInterpreterEnterAtBytecode",
	  "\x50" FRAME "\x52\xe8\x00\x00\x00\x00" UNFRAME "\x58\xff\xe3", "FFFFFIIIIIIIIIIFFF" },
	/* push, mov; ...; call; mov (%rsp), %rsp; leave; jmp to the start */
	{ "frame_within_a_frame_may_align_sp", "BaselineOrInterpreterEnterAtBytecode",
	  FRAME ALIGN "\xe8\x00\x00\x00\x00\x48\x8b\x24\x24\xc9\xeb\xe1",
	  "FFFFIIIIIIIIIIIIIIIIIIIIIIIIIFF" },
	/* push, mov; pop %rdx; pop %rbp; nop; jmp to the nop */
	{ "fp_that_is_popped_from_above_the_inner_frame_is_lost",
	  "BaselineOrInterpreterEnterAtBytecode", FRAME "\x5a\x5d\x90\xeb\xfd", "FFFFII..." },
	/* mov %rsp, %rbp alone */
	{ "fp_that_leads_to_another_word_of_a_frame_is_lost",
	  "BaselineOrInterpreterEnterAtBytecode", "\x50\x48\x89\xe5\x90\xeb\xfd", "FFFF..." },
	/* mov %rsp, %rbp alone */
	{ "fp_that_points_to_another_word_is_lost", "A", "\x50\x55\x90\x48\x89\xe5\x90\xeb\xfd",
	  "012222..." },
	{ "interpreter_is_entered_on_a_frame", "InterpreterEnterAtBytecode", "\x50" NOP "\xff\xe1",
	  "FFFFF" },
	{ "prologue_of_baseline_code_counts_as_its_function", "BaselineOutOfLinePrologue",
	  "\x41\x5b" FRAME "\x41\x53\xc3", "110111FFF" },
	{ "code_that_goes_on_for_the_deoptimizer_has_no_rows", "NotifyDeoptimized", "\x50\x50\xc3",
	  "..." },
	/* push %rax, %rbp; pop %rcx, %rax */
	{ "fp_that_is_pushed_after_others_is_a_word_as_they", "A", "\x50\x55\x59\x58\xc3",
	  "01210" },
	/* push %rax; ...; call; mov (%rsp), %rsp; pop %rcx */
	{ "sp_that_is_aligned_is_kept_at_sp", "DeoptimizationEntry_Eager",
	  "\x50" ALIGN "\xe8\x00\x00\x00\x00\x48\x8b\x24\x24\x59\xc3",
	  "011111112222....bbbbbbbbb10" },
	/* push %rdx instead of the expected push */
	{ "push_loses_where_the_aligned_sp_was", "A", "\x50" ALIGN "\x52\x90\x59\xc3",
	  "011111112222....b..0" },
	/* sub $8, %rsp; and $-16, %rsp; call */
	{ "sp_that_is_aligned_and_not_kept_is_lost", "A",
	  "\x50\x48\x83\xec\x08\x48\x83\xe4\xf0\xe8\x00\x00\x00\x00\xc3", "011112222.....0" },
	{ "arm64_leaf_keeps_its_return_address_in_lr", "A", NOP_ARM64 RET_ARM64, "LL", true },
	/* stp x0, x1, [sp, #-16]!; add sp, sp, #16 */
	{ "arm64_sp_that_moves_is_counted", "A", "\xe0\x07\xbf\xa9\xff\x43\x00\x91" RET_ARM64,
	  "LML", true },
	{ "arm64_frame_counts_once_fp_is_set", "A", FRAME_ARM64 NOP_ARM64 UNFRAME_ARM64 RET_ARM64,
	  "L1FFFL", true },
	/* stp xzr, x16, [sp, #-32]!; stp x29, x30, [sp, #16]; add x29, sp, #16 */
	{ "arm64_record_may_lie_above_other_words", "A",
	  "\xff\x43\xbe\xa9\xfd\x7b\x01\xa9\xfd\x43\x00\x91" UNFRAME_ARM64 RET_ARM64, "LN3FFL",
	  true },
	/* stp x29, x30, [sp, #-16]!; add x29, sp, #16 */
	{ "arm64_fp_that_misses_the_record_is_lost", "A",
	  "\xfd\x7b\xbf\xa9\xfd\x43\x00\x91" NOP_ARM64, "L1.", true },
	/* ldp x29, x30, [x29]; add sp, sp, x16, lsl #3; br x17 */
	{ "arm64_record_is_loaded_before_a_builtin_is_left_for_another", "A",
	  FRAME_ARM64 "\xbd\x7b\x40\xa9\xff\x6f\x30\x8b\x20\x02\x1f\xd6", "L1FML", true },
	/* stp x0, x30, [sp, #-16]!; bl; ldp x0, x30, [sp], #16 */
	{ "arm64_saved_return_address_outlives_a_call", "A",
	  "\xe0\x7b\xbf\xa9\x00\x00\x00\x94" NOP_ARM64 "\xe0\x7b\xc1\xa8" RET_ARM64, "L111L",
	  true },
	/* bl; ret */
	{ "arm64_return_address_is_lost_by_a_call", "A", "\x00\x00\x00\x94" NOP_ARM64 RET_ARM64,
	  "L..", true },
	/* stp x0, x30, [sp, #-16]!; add sp, sp, #16; bl */
	{ "arm64_what_lies_below_sp_is_not_saved", "A",
	  "\xe0\x7b\xbf\xa9\xff\x43\x00\x91\x00\x00\x00\x94" NOP_ARM64, "L1L.", true },
	/* cbz x0, +8; bl; ret */
	{ "arm64_return_address_of_one_way_is_none", "A",
	  "\x40\x00\x00\xb4\x00\x00\x00\x94" RET_ARM64, "LL.", true },
	/* stp x0, x1, [sp, #-16]!; cbz x0, +8; add sp, sp, #16; ret */
	{ "arm64_two_heights_are_none", "A",
	  "\xe0\x07\xbf\xa9\x40\x00\x00\xb4\xff\x43\x00\x91" RET_ARM64, "LMML", true },
	/* ldr x29, [sp] */
	{ "arm64_fp_that_was_not_saved_is_lost", "A", "\xfd\x03\x40\xf9" NOP_ARM64, "L.", true },
	/* ldr x29, [x0] */
	{ "arm64_fp_that_is_overwritten_is_lost", "A", "\x1d\x00\x40\xf9" NOP_ARM64, "L.", true },
	/* ldp x29, x30, [sp], #16 */
	{ "arm64_record_that_was_not_saved_is_lost", "A", "\xfd\x7b\xc1\xa8" NOP_ARM64, "L.",
	  true },
	/* stp x27, x28, [sp, #-16]!; ...; stp xzr, x12, [sp, #-16]!; add sp, sp, #16; ldp; ldp */
	{ "arm64_registers_may_lie_above_the_record", "JSEntry",
	  "\xfb\x73\xbf\xa9" FRAME_ARM64 "\xff\x33\xbf\xa9\xff\x43\x00\x91\xfd\x7b\xc1\xa8"
	  "\xfb\x73\xc1\xa8" RET_ARM64,
	  "LMsEEEML", true },
	/* b +8 over unreachable code */
	{ "arm64_code_that_nothing_leads_to_has_the_frame", "A",
	  FRAME_ARM64 "\x02\x00\x00\x14" NOP_ARM64 UNFRAME_ARM64 RET_ARM64, "L1FFFFL", true },
	{ "arm64_trial_that_contradicts_itself_changes_nothing", "A",
	  FRAME_ARM64 UNFRAME_ARM64 RET_ARM64 NOP_ARM64 RET_ARM64, "L1FFL..", true },
	/* b to the ret */
	{ "arm64_trial_that_contradicts_what_is_known_changes_nothing", "A",
	  FRAME_ARM64 UNFRAME_ARM64 RET_ARM64 NOP_ARM64 "\xfe\xff\xff\x17", "L1FFL..", true },
	/*
	 * b over the nops; each nop leads to a ret without popping a frame, which contradicts the
	 * assumption that the nop has a frame
	 */
	{ "arm64_trials_of_one_builtin_end_some_time", "A",
	  FRAME_ARM64 "\x2e\x00\x00\x14" TEN_NOPS_ARM64 TEN_NOPS_ARM64 TEN_NOPS_ARM64 TEN_NOPS_ARM64
		  RET_ARM64 NOP_ARM64 UNFRAME_ARM64 RET_ARM64 UNFRAME_ARM64 RET_ARM64,
	  "L1F.............................................FFL", true },
	{ "arm64_handler_counts_as_its_function", "LdaSmiHandler", NOP_ARM64 RET_ARM64, "FF",
	  true },
	{ "arm64_interpreter_is_entered_on_a_frame", "InterpreterEnterAtBytecode",
	  NOP_ARM64 "\x20\x02\x1f\xd6", "FF", true },
	{ "arm64_frame_within_a_frame_has_no_rows", "BaselineOrInterpreterEnterAtBytecode",
	  NOP_ARM64 FRAME_ARM64 NOP_ARM64, "FFF.", true },
	{ "arm64_code_that_goes_on_for_the_deoptimizer_has_no_rows", "NotifyDeoptimized",
	  NOP_ARM64 RET_ARM64, "..", true },
};

struct found {
	char text[256];
	u64 start;
	size_t len;
};

/*
 * Returns @first for @off 0, the next letter for each further @unit up to @last, or else '?'.
 */
static char one_of(char first, char last, s32 off, s32 unit)
{
	return off >= 0 && off % unit == 0 && off / unit <= last - first
		       ? (char)(first + off / unit)
		       : '?';
}

static char letter(const struct uw_rule *r)
{
	if (r->cfa == UW_CFA_FP && r->cfa_off == 16 && r->ra == UW_SAVED_CFA && r->ra_off == -8 &&
	    r->fp == UW_SAVED_CFA && r->fp_off == -16)
		return 'F';
	if (r->cfa == UW_CFA_FP && r->cfa_off == 32 && r->ra == UW_SAVED_CFA && r->ra_off == -24 &&
	    r->fp == UW_SAVED_CFA && r->fp_off == -32)
		return 'E';
	if (r->cfa == UW_CFA_AT_SP && !r->cfa_off && !r->cfa_add && r->ra == UW_SAVED_CFA &&
	    r->fp == UW_SAVED_SAME)
		return one_of('a', 'b', r->ra_off, 8);
	if (r->cfa == UW_CFA_AT_SP && !r->cfa_off && !r->cfa_add && r->ra == UW_SAVED_CFA &&
	    r->ra_off == 24 && r->fp == UW_SAVED_CFA && r->fp_off == 8)
		return 'd';
	if (r->cfa == UW_CFA_SP && r->ra == UW_SAVED_CFA && r->ra_off == -8 &&
	    r->fp == UW_SAVED_CFA && r->fp_off == -24)
		return one_of('x', 'z', r->cfa_off - 24, 8);
	if (r->cfa == UW_CFA_AT_FP && !r->cfa_off && r->cfa_add == 16 && r->ra == UW_SAVED_CFA &&
	    r->ra_off == -8 && r->fp == UW_SAVED_CFA && r->fp_off == -16)
		return 'I';
	if (r->fp != UW_SAVED_SAME)
		return '?';
	if (r->cfa == UW_CFA_SCRATCH && r->cfa_off == 8 && r->ra == UW_SAVED_CFA && r->ra_off == -8)
		return r->cfa_add == UW_R8 ? '@' : '?';
	if (r->cfa != UW_CFA_SP)
		return '?';
	if (r->ra == UW_SAVED_SAME)
		return one_of('L', 'P', r->cfa_off, 16);
	if (r->ra == UW_SAVED_CFA && r->cfa_off == 32 && r->ra_off == -24)
		return 's';
	if (r->ra == UW_SAVED_SCRATCH)
		return r->cfa_add == UW_R10 ? 'r' : r->cfa_add == UW_RCX ? 'c' : '?';
	if (r->ra != UW_SAVED_CFA || r->ra_off != -8)
		return '?';
	return r->cfa_off ? one_of('0', '9', r->cfa_off - 8, 8) : 'p';
}

static void take(const struct uw_rule *rule, u64 start, u64 end, void *data)
{
	struct found *f = data;

	for (; start < end; start++)
		if (start - f->start < f->len)
			f->text[start - f->start] = letter(rule);
}

static void look_up(const char *name, const char *code, size_t len, u16 machine, struct found *f)
{
	struct v8_builtin builtin = { .len = (u32)len, .name = name };
	struct v8_build build = { .arch = v8_arch_of(machine),
				  .blob_off = MADE_CODE_OFF,
				  .blob_len = len,
				  .builtins = &builtin,
				  .n_builtins = 1 };
	struct elf_file *file;
	struct made_cfi m;
	int fd;

	builtin.is_handler = strstr(name, "Handler") != NULL;
	made_init(&m, machine, 0);
	for (size_t i = 0; i < len; i++)
		made_put(&m, MADE_CODE_OFF + (u32)i, (u8)code[i], 1);
	fd = made_fd(&m, m.len);
	assert_int_equal(elf_file_open_fd(&file, fd), 0);
	*f = (struct found){ .start = MADE_CODE, .len = len };
	memset(f->text, '.', len);
	assert_int_equal(v8_build_rows(&build, file, MADE_CODE, MADE_CODE + len, take, f), 0);
	elf_file_free(&file);
	made_deinit(&m);
	close(fd);
}

static u16 machine_of(const struct row *row)
{
	return row->is_arm64 ? EM_AARCH64 : EM_X86_64;
}

static u32 code_len(const struct row *row)
{
	return (u32)strlen(row->rules) * (row->is_arm64 ? 4 : 1);
}

static void each_instruction_of_a_builtin_has_the_expected_unwind_rule(void **state)
{
	const struct row *row = *state;
	u32 unit = row->is_arm64 ? 4 : 1;
	struct found f;
	char text[64] = "";

	look_up(row->name, row->code, code_len(row), machine_of(row), &f);
	for (u32 i = 0; i < strlen(row->rules); i++)
		text[i] = f.text[unit * i];
	assert_string_equal(text, row->rules);
}

static void builtins_of_another_architecture_have_no_unwind_rows(void **state)
{
	struct found f;

	(void)state;
	look_up("A", RET_ARM64, 4, EM_RISCV, &f);
	assert_string_equal(f.text, "....");
}

/* Truncates a builtin to each possible length: reads and rows must stay within this length. */
static void truncated_builtins_are_read_within_bounds(void **state)
{
	struct found f;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (u32 len = 1; len < code_len(&rows[i]); len++)
			look_up(rows[i].name, rows[i].code, len, machine_of(&rows[i]), &f);
}

int main(void)
{
	struct CMUnitTest tests[sizeof(rows) / sizeof(rows[0]) + 2] = {
		cmocka_unit_test(builtins_of_another_architecture_have_no_unwind_rows),
		cmocka_unit_test(truncated_builtins_are_read_within_bounds),
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = rows[i].test,
			.test_func = each_instruction_of_a_builtin_has_the_expected_unwind_rule,
			.initial_state = (void *)&rows[i]
		};
	return CHECK_RUN(tests);
}
