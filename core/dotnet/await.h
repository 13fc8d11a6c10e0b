/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Who awaits the async method that runs. A method that has awaited something is resumed by
 * the thread pool, so its callers are not on the stack but on the heap: its state machine lies
 * in a task, and the task knows what goes on when it is done.
 *
 *	frame of MoveNext()     state machine           task               what it resumes
 *	  fp + slot ----------> ... builder --------> MethodTable    ,--> MethodTable
 *	                        (in the task itself)  continuation --'    ...
 *
 * All of that the garbage collector moves, so it is followed here, behind the frame: each object is
 * a frame of kind UW_DOTNET_AWAITER, which has its MethodTable and no code. Where a method keeps
 * its state machine, and at which offset an object of some type has the next, user space
 * learns from metadata and enters by what identifies them (struct dotnet_await): what is not
 * entered yet ends the chain, and is known the next time.
 *
 * The frame nearest to the leaf is asked. A state machine that has not awaited anything yet lies on
 * the stack, and so does its caller: the next one is asked then.
 */

#include "../uw_read.h"
#include "dotnet_info.h"

/* The state machine of @f, as @e says, is in a task that waits for nothing on the stack. */
UW_INLINE enum uw_status dotnet_await_begin(struct uw_state *u, struct uw_frame *f,
					    const struct dotnet_await *e)
{
	u64 machine, task;
	u32 flags = e->flags;
	s64 off = e->off;

	if (read_user(u, &machine, u->regs.fp + (u64)(s64)e->slot) ||
	    read_user(u, &task, machine + (u64)off))
		return UW_F_AWAITER_FAULT;
	if (!task || (flags & DOTNET_AWAIT_IN_TASK && machine - task >= DOTNET_MAX_TASK_LEN)) {
		f->flags |= UW_FRAME_FIRST_RUN;
		return UW_OK;
	}
	u->awaiter = flags & DOTNET_AWAIT_BY_MACHINE ? machine : task;
	u->n_awaiters = 1;
	return UW_OK;
}

/**
 * dotnet_await_find() - is the frame's method an async one that others await?
 * @u:		walk state; regs are still @f's
 * @f:		a frame of CoreCLR's code, identified
 *
 * If so, the next steps give those as frames.
 */
UW_INLINE void dotnet_await_find(struct uw_state *u, struct uw_frame *f)
{
	u64 key = f->kind == UW_DOTNET_METHOD ? f->a : uw_frame_lookup_pc(f);
	const struct dotnet_await *e;

	if (u->n_awaiters || !u->process_key || f->status != UW_OK)
		return;
	e = port_await(u, key);
	if (e && f->pc - key >= e->from && dotnet_await_begin(u, f, e))
		u->n_awaiters = 1; /* nobody else's awaiters are this one's */
}

/**
 * dotnet_await_step() - one object more that waits
 * @u:		walk state; u->awaiter is its address
 *
 * Return: UW_OK, and the walk goes on with regs as they are; or UW_T_DEPTH.
 */
UW_INLINE enum uw_status dotnet_await_step(struct uw_state *u, struct uw_frame *f)
{
	const struct dotnet_await *e;
	u64 at = u->awaiter, type, next = 0;

	u->awaiter = 0;
	f->kind = UW_DOTNET_AWAITER;
	f->flags = UW_FRAME_ASYNC;
	f->status = UW_F_AWAITER_FAULT;
	if (read_user(u, &type, at))
		return UW_OK;
	f->a = type;
	f->b = at;
	f->status = UW_F_AWAITER_TYPE;
	e = port_await(u, type);
	if (!e)
		return UW_OK;
	f->status = UW_OK;
	if (e->off && read_user(u, &next, at + (u64)(s64)e->off))
		f->status = UW_F_AWAITER_FAULT;
	if (next && u->n_awaiters++ >= DOTNET_MAX_AWAITERS) {
		f->status = UW_F_AWAITER_TYPE;
		next = 0;
	}
	u->awaiter = next;
	return UW_OK;
}
