/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * When the garbage collector has to stop a thread, CoreCLR hijacks the thread: in the frame of the
 * innermost method that can be stopped, it replaces the return address with the address of
 * OnHijackTripThread. The unwind rule of OnHijackTripThread is UW_CFA_HIJACKED. The Thread object
 * stores the true return address and the address of the slot on the stack:
 *
 *	Thread { ..., m_pvHJRetAddr, m_ppvHJRetAddrPtr, ... }
 *	                   |                |
 *	              true address       its slot, after which the caller's frame starts
 *
 * The runtime hijacks a thread in a signal handler on that thread, and writes both fields before it
 * changes the stack. Therefore, if the stored slot is the slot that the walk has reached, both
 * fields are valid. Under the thread's id, user space adds a struct dotnet_await with the address
 * of the Thread object's fields. Source: coreclr vm/threads.h and vm/threadsuspend.cpp
 * (Thread::HijackThread) at v8.0.33 and v10.0.14.
 */

#include "../uw_read.h"
#include "dotnet_info.h"

struct dotnet_hijack {
	u64 ra;
	u64 slot;
};

/**
 * dotnet_hijack_step() - continue from OnHijackTripThread at the true return address
 * @u:		walk state
 * @f:		the last frame, whose rule is UW_CFA_HIJACKED. If @f is not the leaf, removes @f
 *		from the sample, because OnHijackTripThread has not been entered.
 *
 * Reads 16 bytes. Return: true if regs are now those of the true caller; false if nothing changed.
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
	if (h.ra == u->regs.pc) /* if the walk continued at this address, it would never end */
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
