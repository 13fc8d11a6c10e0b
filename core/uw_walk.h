/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Unwinds a stack. A driver fills u->regs and u->sample, then calls
 *
 *	uw_walk_begin(u);
 *	while ((status = uw_step(u)) == UW_OK)
 *		;
 *	uw_walk_end(u, status);
 *
 * in whatever form of loop the driver's environment allows. A step processes one frame: it finds
 * the mapping that contains the frame's pc, the runtime that owns the mapping, and the data that
 * this runtime keeps in the frame. The sample holds all frames found, even if the walk fails.
 */

#include "dotnet/dotnet.h"
#include "v8/v8_async.h"

/**
 * uw_walk_begin() - start a walk at the interrupted instruction
 * @u:		walk state, in which the driver has set regs, va_mask, extent, has_tables and
 *		the sample's header
 */
UW_INLINE void uw_walk_begin(struct uw_state *u)
{
	u->stack_low = u->regs.sp;
	u->sp_known = true;
	u->next_flags = u->sample.flags & UW_SAMPLE_IN_SYSCALL ? UW_FRAME_SYSCALL : 0;
	u->has_guess = false;
	u->is_hijacked = false;
	u->is_blind = false;
	u->memo_function = 0;
	u->memo_shared = 0;
	u->awaiter = 0;
	u->n_awaiters = 0;
	u->chain.loop_fp = 0;
	u->chain.n_links = 0;
	u->win_len = 0;
	u->map.start_addr = 0;
	u->map.end_addr = 0;
	u->sample.saved[0] = u->sample.saved[1] = u->sample.saved[2] = 0;
	u->in_js = false;
	u->sample.n_reads = 0;
	u->sample.fault_addr = 0;
}

/*
 * Ends the walk at a frame whose pc is in no mapping. The sample keeps the frame if the frame is
 * the leaf, and drops the frame if it is a caller.
 */
UW_INLINE enum uw_status uw_unknown_pc(struct uw_state *u)
{
	u->sample.fault_addr = u->regs.pc;
	if (!u->is_top)
		u->sample.n_frames--;
	return UW_T_UNKNOWN_PC;
}

/*
 * Unwinds one frame in a process without tables. Only the frame record can be used, so the caller
 * is a guess.
 */
UW_INLINE enum uw_status uw_step_blind(struct uw_state *u)
{
	port_note(u, UW_NOTE_BLIND, 0);
	u->is_blind = true;
	u->map = (struct uw_mapping){ 0 };
	return fp_step(u, UW_FRAME_GUESS);
}

/*
 * Unwinds, by a rule, a frame of native code, of CoreCLR's code, or of a V8 builtin that has no
 * frame record.
 */
UW_INLINE enum uw_status uw_step_by_rule(struct uw_state *u, struct uw_frame *f,
					 const struct uw_rule *r)
{
	u8 flags = UW_FRAME_GUESS;

	if (r && r->cfa == UW_CFA_HIJACKED && dotnet_hijack_step(u, f))
		return UW_OK;
	if (u->map.kind == UW_MAP_V8_BUILTINS) {
		f->kind = UW_V8_CODE;
		f->status = UW_F_NO_FRAME;
		flags = 0;
	} else if (u->map.kind != UW_MAP_NATIVE) {
		r = dotnet_rule(u, f);
		if (port_wants_async())
			dotnet_await_find(u, f);
		if (f->kind == UW_DOTNET_METHOD && f->status == UW_OK)
			flags = DOTNET_FALLBACK_FLAGS;
	}
	return native_step(u, f, r, flags);
}

/*
 * Unwinds a frame of a process with tables, by the method for the mapping's kind. v8_lacks_record()
 * may set fp to the frame record of the enclosing function; if the step then fails, fp is restored.
 */
UW_INLINE enum uw_status uw_step_in_mapping(struct uw_state *u, struct uw_frame *f)
{
	u8 kind = u->map.kind;
	const struct uw_rule *r = NULL;
	enum uw_status status;

	if (kind == UW_MAP_NATIVE)
		native_identify(u, f);
	if (kind == UW_MAP_NATIVE || kind == UW_MAP_V8_BUILTINS)
		r = native_row(u, f);
	u->record_len = 0;
	u->step_fp = u->regs.fp;
	if (port_wants_async() && kind == UW_MAP_V8_BUILTINS && v8_async_begins(u, f))
		return UW_OK;
	if (kind == UW_MAP_V8_JIT || (kind == UW_MAP_V8_BUILTINS && !v8_lacks_record(u, r))) {
		status = v8_step(u, f);
		if (status != UW_OK)
			u->regs.fp = u->step_fp;
		return status;
	}
	return uw_step_by_rule(u, f, r);
}

/**
 * uw_step() - unwind one frame
 * @u:		walk state
 *
 * Return: UW_OK if there is a caller, UW_END at the outermost frame, or the reason why the walk
 *         ends.
 */
UW_INLINE enum uw_status uw_step(struct uw_state *u)
{
	bool is_awaiter = port_wants_async() && u->awaiter;
	enum uw_status status;
	struct uw_frame *f;

	if (port_wants_async() && u->chain.n_links)
		return v8_async_step(u);
	f = uw_new_frame(u, is_awaiter ? 0 : u->regs.pc);
	if (!f)
		return UW_T_DEPTH;
	if (is_awaiter)
		return dotnet_await_step(u, f);
	f->flags = u->next_flags;
	u->is_top = !(f->flags & UW_FRAME_RA);
	u->has_guess |= f->flags & UW_FRAME_GUESS;
	port_note(u, UW_NOTE_STEP, f->pc);
	if (!u->has_tables)
		status = uw_step_blind(u);
	else if (!uw_find_mapping(u, uw_frame_lookup_pc(f)))
		status = uw_unknown_pc(u);
	else
		status = uw_step_in_mapping(u, f);
	if (f->status != UW_OK)
		port_note(u, UW_NOTE_REASON, f->status);
	return status;
}

/* Ends a walk; @status is the result of the last step. A walk with a guess is not complete. */
UW_INLINE void uw_walk_end(struct uw_state *u, enum uw_status status)
{
	if (status == UW_END && u->has_guess)
		status = u->is_hijacked ? UW_T_HIJACKED : UW_T_GUESSED;
	u->sample.status = u->is_blind ? UW_T_UNKNOWN_PROCESS : (u8)status;
	port_note(u, UW_NOTE_END, status);
}
