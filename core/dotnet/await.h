/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Follows the chain of awaiters of the running async method. When a method has awaited something,
 * the thread pool resumes it, so the method's callers are not on the stack but on the heap: the
 * method's state machine is in a task, and the task refers to its continuation.
 *
 *	frame of MoveNext()     state machine           task               what it resumes
 *	  fp + slot ----------> ... builder --------> MethodTable    ,--> MethodTable
 *	                        (in the task itself)  continuation --'    ...
 *
 * The garbage collector moves these objects, so the walk follows the chain right after the frame.
 * Each object becomes a frame of kind UW_DOTNET_AWAITER, which has a MethodTable and no pc. User
 * space finds in metadata the slot in which a method keeps its state machine, and the offset at
 * which an object of a given type refers to the next object. User space adds the slot under the
 * method's key, and the offset under the type's key, to a table of struct dotnet_await. The chain
 * ends at a type without an entry; user space then adds the entry for later walks.
 *
 * The walk starts the chain at the async frame nearest to the leaf. If a state machine has not
 * awaited anything, the state machine and its caller are on the stack, so the walk tries the next
 * async frame.
 */

#include "../uw_read.h"
#include "dotnet_info.h"

/*
 * Reads the task of @f's state machine. If there is no task, the state machine's caller is
 * on the stack.
 */
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
 * dotnet_await_find() - does the frame belong to an async method that has awaiters?
 * @u:		walk state; regs are still those of @f
 * @f:		an identified frame of CoreCLR's code
 *
 * If so, the next steps append the awaiters as frames.
 */
UW_INLINE void dotnet_await_find(struct uw_state *u, struct uw_frame *f)
{
	u64 key = f->kind == UW_DOTNET_METHOD ? f->a : uw_frame_lookup_pc(f);
	const struct dotnet_await *e;

	if (u->n_awaiters || !u->process_key || f->status != UW_OK)
		return;
	e = port_await(u, key);
	if (e && f->pc - key >= e->from && dotnet_await_begin(u, f, e))
		u->n_awaiters = 1; /* search only once, because later frames have other awaiters */
}

/**
 * dotnet_await_step() - append one awaiter
 * @u:		walk state; u->awaiter is the awaiter's address
 *
 * Return: UW_OK. regs are unchanged.
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
