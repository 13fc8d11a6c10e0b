/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwinds and identifies V8 frames. All V8 code keeps frame records, in JavaScript functions as
 * well as in stubs:
 *
 *	fp+8   return address
 *	fp     caller's fp
 *	fp-8   context (tagged)    or  frame type << 1 (bit 0 clear): a stub frame
 *	fp-16  JSFunction
 *	fp-24  argument count
 *	fp-32  BytecodeArray       only in interpreted frames, else anything
 *	fp-40  bytecode offset     only in interpreted frames, else anything
 *	fp+24  JSFunction          only in exit frames of C++ builtins, a frame type
 *
 * Source: v8/src/execution/frame-constants.h at 12.4.254 (StandardFrameConstants,
 * InterpreterFrameConstants, BuiltinExitFrameConstants). The layout is the same from 9.4 to
 * 14.6 on both architectures.
 *
 * The garbage collector may move the objects that the slots refer to before user space can
 * read them, so the walk itself reads the address of the function's SharedFunctionInfo.
 * User space finds the code object by the pc.
 */

#include "v8_off_stack.h"

/*
 * A reference to a heap object is its address with bit 0 set; in SMIs and frame types, bit 0 is
 * clear.
 */
UW_INLINE bool v8_is_heap_object(u64 word)
{
	return (word & 3) == 1;
}

/**
 * v8_read_function() - read the SharedFunctionInfo of a JSFunction
 * @shared:	set on success
 *
 * Caches the last result, because a recursive function is read repeatedly and a function's
 * SharedFunctionInfo never changes.
 *
 * Return: UW_OK, or the UW_F_* status that is the reason.
 */
UW_INLINE enum uw_status v8_read_function(struct uw_state *u, const struct v8_info *info,
					  u64 function, u64 *shared)
{
	u64 word = u->memo_shared;

	port_note(u, UW_NOTE_V8_FUNCTION, function);
	if (!v8_is_heap_object(function))
		return UW_F_FUNCTION_TAG;
	if (function != u->memo_function && read_user(u, &word, function - 1 + info->shared_off))
		return UW_F_FUNCTION_FAULT;
	if (!v8_is_heap_object(word))
		return UW_F_SHARED_TAG;
	port_note(u, function == u->memo_function ? UW_NOTE_V8_MEMO : UW_NOTE_V8_SHARED, word);
	u->memo_function = function;
	u->memo_shared = word;
	*shared = word;
	return UW_OK;
}

/*
 * Identifies a stub's frame; for an exit frame, also the C++ builtin that was called. If the stub
 * is a bytecode handler, its frame holds the bytecode offset, in a word that depends on the
 * handler. Only the stub that the innermost JavaScript function calls needs these words, so they
 * are copied only until a JavaScript frame is found.
 */
UW_INLINE void v8_read_stub(struct uw_state *u, struct uw_frame *f, const struct v8_info *info,
			    const u8 *slots)
{
	u64 marker = v8_slot(slots, V8_CONTEXT_SLOT);
	const u8 *target;

	port_note(u, UW_NOTE_V8_MARKER, marker);
	f->kind = UW_V8_STUB;
	f->status = UW_OK;
	f->a = marker;
	if (!u->in_js) {
		u->sample.saved[0] = v8_slot(slots, V8_SAVED_SLOT);
		u->sample.saved[1] = v8_slot(slots, V8_SAVED_SLOT + 8);
		u->sample.saved[2] = v8_slot(slots, V8_SAVED_SLOT + 16);
	}
	if (!info->exit_marker || marker != info->exit_marker)
		return;
	target = uw_window(u, u->regs.fp + V8_EXIT_TARGET, 8);
	f->status = UW_F_FUNCTION_FAULT;
	if (target)
		f->status = (u8)v8_read_function(u, info, uw_word(target), &f->b);
}

/**
 * v8_identify() - identify a frame by its slots, before a garbage collection changes them
 * @slots:	the V8_SLOTS_LEN bytes below fp
 *
 * Ignores slots below sp, because the function has not built them yet or has already removed them.
 */
UW_INLINE void v8_identify(struct uw_state *u, struct uw_frame *f, const struct v8_info *info,
			   const u8 *slots)
{
	u64 built = u->sp_known && u->is_top ? u->regs.fp - u->regs.sp : V8_SLOTS_LEN;
	u64 context = v8_slot(slots, V8_CONTEXT_SLOT);

	f->kind = UW_V8_CODE;
	f->status = UW_F_NO_FRAME;
	port_note(u, UW_NOTE_V8_SLOTS, built);
	if (built < V8_CONTEXT_SLOT)
		return;
	if (!(context & 1)) {
		v8_read_stub(u, f, info, slots);
		return;
	}
	if (built < V8_FUNCTION_SLOT)
		return;
	u->in_js = true;
	f->kind = UW_V8_JS;
	f->status = (u8)v8_read_function(u, info, v8_slot(slots, V8_FUNCTION_SLOT), &f->a);
	if (built < info->bytecode_offset_slot)
		return;
	f->b = v8_slot(slots, info->bytecode_offset_slot);
	f->aux = (u32)v8_slot(slots, info->bytecode_array_slot);
	port_note(u, UW_NOTE_V8_BYTECODE, f->b);
}

/**
 * v8_top_step() - unwind an interrupted V8 function that has no frame
 * @u:		walk state, with the interrupted function's regs
 *
 * Decodes the instruction at pc. If that instruction may belong to frameless code of V8, also
 * decodes the instructions around it.
 */
UW_INLINE enum top_result v8_top_step(struct uw_state *u)
{
	u8 code[ARCH_V8_BEFORE + ARCH_V8_AFTER];
	u32 insn;
	int slot;

	if (!top_read_insn(u, &insn))
		return TOP_UNREADABLE;
	slot = arch_ra_slot(insn);
	if (slot == ARCH_RA_IN_FRAME && arch_v8_may_lack_frame(insn) &&
	    !read_user(u, &code, u->regs.pc - ARCH_V8_BEFORE))
		slot = arch_v8_ra_slot(code);
	return top_leave(u, slot, 0);
}

/*
 * Leaves the inner frame of a builtin that works on a JavaScript function's frame. To call C++,
 * such a builtin has pushed fp, without a return address above the pushed word. Sets fp to the
 * pushed value, which is the function's fp. Return: true; or false if the pushed word can't be
 * read, in which case fp is unchanged.
 */
UW_INLINE bool v8_leave_inner(struct uw_state *u)
{
	const u8 *word = uw_window(u, u->regs.fp, 8);

	if (word)
		u->regs.fp = uw_word(word);
	return word;
}

/**
 * v8_lacks_record() - does the unwind row show that a builtin has no frame record at pc?
 * @r:		the rule of the unwind row, or NULL
 *
 * If the builtin has a record and its row gives the CFA, sets u->record_len. The value is stored in
 * memory, so that the verifier does not relate it to the result. If the builtin has pushed fp
 * within a function's frame, the record is the function's, so regs.fp is set to the function's fp.
 * If the pushed fp can't be read, the walk uses the rule, which reads the same word and so reports
 * the fault.
 */
UW_INLINE bool v8_lacks_record(struct uw_state *u, const struct uw_rule *r)
{
	u8 cfa = r ? r->cfa : UW_CFA_NONE;

	u->record_len = cfa == UW_CFA_FP ? (u16)r->cfa_off : 0;
	if (cfa == UW_CFA_AT_FP) {
		u->record_len = (u16)r->cfa_add;
		return !v8_leave_inner(u);
	}
	return cfa == UW_CFA_SP || cfa == UW_CFA_AT_SP || cfa == UW_CFA_SCRATCH;
}

/*
 * Unwinds by the frame record. Also sets sp if the row gives the distance from the record to the
 * CFA.
 */
UW_INLINE enum uw_status v8_step_record(struct uw_state *u)
{
	u64 fp = u->regs.fp;
	enum uw_status err = fp_step(u, 0);

	if (!err && u->record_len) {
		u->regs.sp = fp + u->record_len;
		u->sp_known = true;
	}
	return err;
}

/*
 * Sets @f to the function being deoptimized, and regs to those of the function's caller. Returns
 * false if no function is being deoptimized.
 */
UW_INLINE bool v8_step_deoptimized(struct uw_state *u, struct uw_frame *f,
				   const struct v8_info *info)
{
	u64 function;

	if (!v8_leave_deoptimizer(u, info, &function, &f->b))
		return false;
	f->kind = UW_V8_JS;
	f->status = (u8)v8_read_function(u, info, function, &f->a);
	return true;
}

/**
 * v8_step() - identify a frame in V8's code and unwind it
 * @u:		walk state; u->map is the mapping of f->pc; u->record_len is set
 * @f:		the frame; pc and flags are set
 *
 * If a frame is half built, its slots can be in a stack page that has never been written.
 * The record is readable even then.
 *
 * Return: UW_OK if regs are the caller's, or the reason why the walk ends here.
 */
UW_INLINE enum uw_status v8_step(struct uw_state *u, struct uw_frame *f)
{
	const struct v8_info *info = port_info_v8(u->map.info_idx);
	enum top_result top = TOP_HAS_FRAME;
	enum uw_status err;
	const u8 *slots;

	f->kind = UW_V8_CODE;
	f->status = UW_F_NO_FRAME;
	port_note(u, info ? UW_NOTE_V8 : UW_NOTE_V8_NO_INFO, u->map.info_idx);
	if (!info)
		return UW_T_NO_RUNTIME_INFO;
	if (u->is_top && !u->record_len)
		top = v8_top_step(u);
	if (top == TOP_STEPPED)
		return UW_OK;
	if (u->regs.fp < FP_MIN) {
		port_note(u, UW_NOTE_NO_FP, u->regs.fp);
		return UW_T_NO_FP;
	}
	err = fp_verdict(u);
	slots = err && !v8_is_far(u, info)
			? NULL
			: uw_window(u, u->regs.fp - V8_SLOTS_LEN, V8_SLOTS_LEN + 16);
	if (err && !v8_follow_other_stack(u, slots))
		return v8_step_deoptimized(u, f, info) ? UW_OK : fp_check(u);
	if (slots && top != TOP_UNREADABLE)
		v8_identify(u, f, info, slots);
	else
		port_note(u, UW_NOTE_V8_NO_SLOTS, u->regs.fp);
	if (slots && v8_is_bottom(info, slots)) {
		port_note(u, UW_NOTE_V8_BOTTOM, u->regs.fp);
		return UW_T_STACK_SWITCHED;
	}
	if (f->kind == UW_V8_JS && u->map.kind == UW_MAP_V8_JIT)
		v8_find_exit(u, info, &f->b);
	return v8_step_record(u);
}
