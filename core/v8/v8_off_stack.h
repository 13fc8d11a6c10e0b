/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Finds two kinds of V8 frames that a walk can't reach by fp on the stack that sp points to.
 *
 * With JSPI, WebAssembly runs on stacks that V8 allocates. If WebAssembly calls a function outside
 * of WebAssembly, the function runs on the thread's stack, and the first frame record there points
 * to the caller's frame, which is on V8's stack:
 *
 *	thread's stack            V8's stack for WebAssembly
 *	leaf                      a stub's frame      fp of the leaf's record
 *	                          WebAssembly's frames
 *	                          a frame of JSPI     saved fp 0: the bottom
 *
 * Only C++ objects of V8 know which frame called the bottom frame of V8's stack, so the walk ends
 * at the bottom frame.
 *
 * The C++ class Deoptimizer removes a function's frame from the stack and stores it until the
 * interpreter's frames have been computed. Meanwhile fp still holds the removed frame's address.
 * While the builtin DeoptimizationEntry calls C++, the stack has
 *
 *	slot                      word: the Deoptimizer. slot = sp (arm64), *(sp) (x86-64)
 *	slot + 16 (arm64), + 8    address: the caller's sp, the top of the removed frame
 *
 * The Deoptimizer object also holds the caller's sp, fp and pc, and the return address of the
 * deoptimization exit (v8/src/deoptimizer/deoptimizer.h at 12.4.254; the same in 9.4 to 14.6). The
 * walk concludes that the builtin is at that call only if both values of the caller's sp are equal,
 * because nothing else shows that the builtin is at the call.
 *
 * In V8 8.4 (x86-64) the entry is not a builtin but code that V8 generates at run time, without
 * unwind rows. While this code constructs the Deoptimizer, all registers are on the stack, below
 * the function's frame, which is still there:
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

#define V8_DEOPT_FUNCTION 8 /* offset of the JSFunction in a Deoptimizer */
#define V8_DEOPTIMIZER_LEN 128 /* number of bytes read of a Deoptimizer */
#define V8_DEOPT_PUSHED_FP 80 /* offset of fp in the pushed registers; sp is next */

/*
 * Returns the word of the frame that is @slot bytes below fp. @slots: V8_SLOTS_LEN bytes below fp.
 */
UW_INLINE u64 v8_slot(const u8 *slots, u32 slot)
{
	return uw_word(slots + port_index(V8_SLOTS_LEN - slot, 0x38));
}

/*
 * Is fp so far from the walked frames that it can point to another stack? A frame that the
 * Deoptimizer has removed is not that far away, because it was near the walked frames.
 */
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
 * Return: false if fp does not point to a stub's frame.
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

/* Is this frame the bottom of a WebAssembly stack, so that no caller is on that stack? */
UW_INLINE bool v8_is_bottom(const struct v8_info *info, const u8 *slots)
{
	return info->jspi_marker && v8_slot(slots, V8_CONTEXT_SLOT) == info->jspi_marker &&
	       !uw_word(slots + V8_SLOTS_LEN);
}

/*
 * If DeoptimizationEntry is at its call of C++, returns the address of the Deoptimizer and sets
 * @caller_sp. Returns 0 if DeoptimizationEntry can't be at that call.
 */
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
 * @u:		walk state, at a frame that can be DeoptimizationEntry's; fp_verdict() has rejected
 *		regs.fp
 * @function:	set on success: the JSFunction of that function
 * @from:	set on success: the return address of its deoptimization exit
 *
 * Return: false if there is no Deoptimizer with this caller's sp; regs are then unchanged.
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
 * v8_find_exit() - find the deoptimization exit of a function that V8 8.4 is about to deoptimize
 * @u:		walk state, with the function's regs; the callee's frame is below sp
 * @from:	set on success: the return address of its deoptimization exit
 *
 * The pushed fp must be this frame's, and the pushed sp must point to the pushed registers.
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
