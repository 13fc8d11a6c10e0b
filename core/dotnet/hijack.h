/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * A thread of CoreCLR that is to stop for the collector is hijacked: the return address of its
 * innermost method that may stop is replaced by OnHijackTripThread's, which the rules know
 * (UW_CFA_HIJACKED). The thread's own object keeps the true one, and where on the stack it belongs:
 *
 *	Thread { ..., m_pvHJRetAddr, m_ppvHJRetAddrPtr, ... }
 *	                   |                |
 *	              true address       its slot      the caller's frame begins behind it
 *
 * The runtime does that on the thread itself, in a signal's handler, and writes both before it
 *changes the stack; so what is there is true as long as the slot is the one that the walk has come
 *to. User space enters where a thread's object is, by the thread's number (struct dotnet_await).
 *Source: coreclr vm/threads.h and vm/threadsuspend.cpp (Thread::HijackThread) at v8.0.33 and
 *v10.0.14.
 */

#include "../uw_read.h"
#include "dotnet_info.h"

struct dotnet_hijack {
	u64 ra;
	u64 slot;
};

/**
 * dotnet_hijack_step() - go on from OnHijackTripThread to where the thread would have returned to
 * @u:		walk state
 * @f:		the last frame, by a rule UW_CFA_HIJACKED. As a caller it was never called: it
 *		is taken back
 *
 * Reads 16 bytes. Return: whether regs are the true caller's; if not, nothing has changed.
 */
UW_INLINE bool dotnet_hijack_step(struct uw_state *u, const struct uw_frame *f)
{
	const struct dotnet_await *e;
	struct dotnet_hijack h;
	u64 cfa;

	if (!u->process_key || !u->sp_known)
		return false;
	e = port_await(u, DOTNET_THREAD_KEY(u->sample.tid));
	if (!e || read_user(u, &h, e->hijack_addr))
		return false;
	cfa = h.slot + 8;
	if (cfa - u->regs.sp > (u->is_top ? DOTNET_MAX_TRIP_LEN : 0) || !uw_is_user_pc(u, h.ra))
		return false;
	if (!u->is_top)
		u->sample.n_frames--;
	u->regs.pc = h.ra;
	u->regs.sp = cfa;
	u->stack_low = cfa;
	u->next_flags = UW_FRAME_RA | (f->flags & UW_FRAME_GUESS);
	port_note(u, UW_NOTE_CALLER, h.ra);
	return true;
}
