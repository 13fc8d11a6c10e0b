/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Where fp does not lead up the stack that sp is on.
 *
 * WebAssembly may run on stacks of V8's own (JSPI). What it calls outside of it runs on
 * the thread's stack, and the first frame there has the caller's fp, on the other one:
 *
 *	thread's stack            V8's stack for WebAssembly
 *	leaf                      a stub's frame      fp of the leaf's record
 *	                          WebAssembly's frames
 *	                          a frame of JSPI     saved fp 0: the bottom
 *
 * Who entered the other stack is known to objects of C++ alone; the walk ends there.
 *
 * A function that is being deoptimized has its frame taken off the stack and kept in a
 * Deoptimizer (C++), until frames for the interpreter are made of it. While these are
 * computed fp still has the place where it was, and builtin DeoptimizationEntry, at its
 * call, has
 *
 *	slot                      Deoptimizer; slot is sp (arm64), or kept at sp (x86-64)
 *	slot + 16 (arm64), 8      where the frame was on: the caller's sp
 *
 * The Deoptimizer knows that sp, too, and with it the caller's fp and pc
 * (v8/src/deoptimizer/deoptimizer.h at 12.4.254; the same in 9.4 to 14.6). Nothing else
 * says what state the builtin is in, so the two must be the same.
 */

#include "../native/native.h"

#define V8_DEOPT_FUNCTION 8 /* in a Deoptimizer: its JSFunction */

/* The frame's word that lies @slot bytes below fp. @slots: V8_SLOTS_LEN bytes below fp. */
UW_INLINE u64 v8_slot(const u8 *slots, u32 slot)
{
	return uw_word(slots + port_index(V8_SLOTS_LEN - slot, 0x38));
}

/**
 * v8_follow_away() - go on where fp leads, on another stack
 * @u:	walk state; fp_verdict() has refused regs.fp
 *
 * A frame of the same stack that is gone lies near.
 *
 * Return: false when no stub's frame lies there.
 */
UW_INLINE bool v8_follow_away(struct uw_state *u, const struct v8_info *info)
{
	u64 fp = u->regs.fp, marker;
	const u8 *slots;

	if (!info->jspi_marker || (fp & 7) || u->stack_low - fp <= UW_MAX_FRAME_LEN)
		return false;
	slots = uw_window(u, fp - V8_SLOTS_LEN, V8_SLOTS_LEN);
	marker = slots ? v8_slot(slots, V8_CONTEXT_SLOT) : 0;
	if (!marker || (marker & 1) || marker > V8_MAX_MARKER)
		return false;
	port_note(u, UW_NOTE_V8_OTHER_STACK, fp);
	u->stack_low = fp;
	return true;
}

/* Has this frame no caller on its stack, which is one for WebAssembly? */
UW_INLINE bool v8_is_bottom(const struct v8_info *info, const u8 *slots)
{
	return info->jspi_marker && v8_slot(slots, V8_CONTEXT_SLOT) == info->jspi_marker &&
	       !uw_word(slots + V8_SLOTS_LEN);
}

/**
 * v8_leave_deoptimizer() - make regs the caller's of a function that is being deoptimized
 * @u:		walk state, at DeoptimizationEntry's call; fp_verdict() has refused regs.fp
 * @at:		set on success: where the Deoptimizer is
 *
 * Return: false when there is no Deoptimizer that knows this sp; regs are unchanged.
 */
UW_INLINE bool v8_leave_deoptimizer(struct uw_state *u, const struct v8_info *info, u64 *at)
{
	u64 slot = u->regs.sp, deoptimizer, caller[3]; /* sp, fp, pc */

	if (!info->deopt_caller_off || u->is_top || !u->sp_known ||
	    (ARCH_V8_ALIGNS_SP && read_user(u, &slot, slot)) || slot - u->regs.sp > 16 ||
	    read_user(u, &deoptimizer, slot) ||
	    read_user(u, &caller, deoptimizer + info->deopt_caller_off) ||
	    caller[0] != slot + ARCH_V8_PUSH_LEN)
		return false;
	caller[2] = arch_strip_ra(caller[2], u->va_mask);
	if (!uw_is_user_pc(u, caller[2]))
		return false;
	port_note(u, UW_NOTE_V8_DEOPT, deoptimizer);
	u->stack_low = caller[0];
	u->regs.sp = caller[0];
	u->regs.fp = caller[1];
	u->regs.pc = caller[2];
	u->next_flags = UW_FRAME_RA;
	port_note(u, UW_NOTE_CALLER, caller[2]);
	*at = deoptimizer;
	return true;
}
