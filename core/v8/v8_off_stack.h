/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * V8 frames that fp does not reach on the stack that sp is on.
 *
 * WebAssembly may run on V8's own stacks (JSPI). Functions that it calls outside of WebAssembly
 * run on the thread's stack, and the first frame there has the caller's fp, on the other stack:
 *
 *	thread's stack            V8's stack for WebAssembly
 *	leaf                      a stub's frame      fp of the leaf's record
 *	                          WebAssembly's frames
 *	                          a frame of JSPI     saved fp 0: the bottom
 *
 * Only C++ objects have the caller of the other stack's bottom frame, so the walk ends at that
 * frame.
 *
 * The Deoptimizer (C++) takes the frame of a function off the stack and keeps it until it has
 * computed the interpreter's frames. Meanwhile fp still has the frame's old address, and the
 * builtin DeoptimizationEntry, at its call, has
 *
 *	slot                      word: the Deoptimizer. slot = sp (arm64), *(sp) (x86-64)
 *	slot + 16 (arm64), + 8    address: the caller's sp, the top of the removed frame
 *
 * The Deoptimizer object also has the caller's sp, with the caller's fp and pc, and the return
 * address of the deoptimization exit (v8/src/deoptimizer/deoptimizer.h at 12.4.254; the same in 9.4
 * to 14.6). Nothing else shows that the builtin is at that call, so both values of the caller's sp
 * must be equal.
 *
 * In V8 8.4 (x86-64) the entry is not a builtin but code that V8 generates at run time, without
 * unwind rows. While it constructs the Deoptimizer, it has pushed all registers, and the frame is
 * still on the stack:
 *
 *	slot + deopt_pushed_len   return address of the deoptimization exit
 *	slot + 88                 sp at that time: slot + 96
 *	slot + 80                 fp
 *	slot                      r15; slot = *(sp)
 *
 * (Deoptimizer::GenerateDeoptimizationEntries() in
 * v8/src/deoptimizer/x64/deoptimizer-x64.cc at 8.4.371)
 */

#include "../native/native.h"

#define V8_DEOPT_FUNCTION 8 /* in a Deoptimizer: its JSFunction */
#define V8_DEOPTIMIZER_LEN 128 /* bytes of a Deoptimizer that are read */
#define V8_DEOPT_PUSHED_FP 80 /* offset of fp in the pushed registers; sp follows */

/* The word of the frame @slot bytes below fp. @slots: V8_SLOTS_LEN bytes below fp. */
UW_INLINE u64 v8_slot(const u8 *slots, u32 slot)
{
	return uw_word(slots + port_index(V8_SLOTS_LEN - slot, 0x38));
}

/* Is fp so far away that it can be on another stack? A frame that was removed is near. */
UW_INLINE bool v8_is_far(const struct uw_state *u, const struct v8_info *info)
{
	return info->jspi_marker && !(u->regs.fp & 7) &&
	       u->stack_low - u->regs.fp > UW_MAX_FRAME_LEN;
}

/**
 * v8_follow_other_stack() - continue on the other stack that fp points to
 * @u:		walk state; v8_is_far() is true
 * @slots:	the V8_SLOTS_LEN bytes below fp, or NULL
 *
 * Return: false if no stub's frame is there.
 */
UW_INLINE bool v8_follow_other_stack(struct uw_state *u, const u8 *slots)
{
	u64 marker = slots ? v8_slot(slots, V8_CONTEXT_SLOT) : 0;

	if (!marker || (marker & 1) || marker > V8_MAX_MARKER)
		return false;
	port_note(u, UW_NOTE_V8_OTHER_STACK, u->regs.fp);
	u->stack_low = u->regs.fp;
	return true;
}

/* Is this frame the bottom of a WebAssembly stack, without a caller on it? */
UW_INLINE bool v8_is_bottom(const struct v8_info *info, const u8 *slots)
{
	return info->jspi_marker && v8_slot(slots, V8_CONTEXT_SLOT) == info->jspi_marker &&
	       !uw_word(slots + V8_SLOTS_LEN);
}

/* Returns the Deoptimizer, or 0 if DeoptimizationEntry is not at its call. Sets @caller_sp. */
UW_INLINE u64 v8_deoptimizer(struct uw_state *u, u64 *caller_sp)
{
	const u8 *words = uw_window(u, u->regs.sp, 24);
	u64 off;

	if (!words)
		return 0;
	off = ARCH_V8_ALIGNS_SP ? uw_word(words) - u->regs.sp : 0;
	*caller_sp = u->regs.sp + off + ARCH_V8_PUSH_LEN;
	return off > 16 ? 0 : uw_word(words + port_index(off, 0x18));
}

/**
 * v8_leave_deoptimizer() - set regs to the caller of a function that is being deoptimized
 * @u:		walk state, at DeoptimizationEntry's call; fp_verdict() has refused regs.fp
 * @function:	set on success: the JSFunction of that function
 * @from:	set on success: the return address of its deoptimization exit
 *
 * Return: false if no Deoptimizer has this sp; regs are unchanged.
 */
UW_INLINE bool v8_leave_deoptimizer(struct uw_state *u, const struct v8_info *info, u64 *function,
				    u64 *from)
{
	u64 sp, at;
	const u8 *object, *caller; /* sp, fp, pc */

	if (!info->deopt_caller_off || u->is_top || !u->sp_known)
		return false;
	at = v8_deoptimizer(u, &sp);
	object = at ? uw_window(u, at, V8_DEOPTIMIZER_LEN) : NULL;
	if (!object)
		return false;
	caller = object + port_index(info->deopt_caller_off, 0x78);
	if (uw_word(caller) != sp ||
	    !uw_is_user_pc(u, arch_strip_ra(uw_word(caller + 16), u->va_mask)))
		return false;
	port_note(u, UW_NOTE_V8_DEOPT, at);
	*function = uw_word(object + V8_DEOPT_FUNCTION);
	*from = info->deopt_from_off ? uw_word(object + port_index(info->deopt_from_off, 0x78)) : 0;
	u->stack_low = sp;
	u->regs.sp = sp;
	u->regs.fp = uw_word(caller + 8);
	u->regs.pc = arch_strip_ra(uw_word(caller + 16), u->va_mask);
	u->next_flags = UW_FRAME_RA;
	port_note(u, UW_NOTE_CALLER, u->regs.pc);
	return true;
}

/**
 * v8_find_exit() - find the deoptimization exit of a function that V8 8.4 is to deoptimize
 * @u:		walk state, regs of the frame; its callee is below sp
 * @from:	set on success: the return address of its deoptimization exit
 *
 * The pushed registers must hold this frame's fp and their own address.
 *
 * Return: false if the function is not being deoptimized, or a word can't be read.
 */
UW_INLINE bool v8_find_exit(struct uw_state *u, const struct v8_info *info, u64 *from)
{
	const u8 *words;
	u64 pushed;

	if (!info->deopt_pushed_len || u->is_top || !u->sp_known)
		return false;
	words = uw_window(u, u->regs.sp, 8);
	pushed = words ? uw_word(words) + V8_DEOPT_PUSHED_FP : 0;
	if (pushed - V8_DEOPT_PUSHED_FP - u->regs.sp > 16)
		return false;
	words = uw_window(u, pushed, 16);
	if (!words || uw_word(words) != u->regs.fp || uw_word(words + 8) != pushed + 16)
		return false;
	words = uw_window(u, pushed - V8_DEOPT_PUSHED_FP + info->deopt_pushed_len, 8);
	if (!words)
		return false;
	*from = uw_word(words);
	port_note(u, UW_NOTE_V8_DEOPT_EXIT, *from);
	return true;
}
