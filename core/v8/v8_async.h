/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Finds the async callers of the running JavaScript function. An awaiting function is not on the
 * stack. When V8's microtask loop resumes an async function, the next frames on the stack are those
 * of that loop and of the event loop. The promises lead to the awaiters:
 *
 *	stack: frame of the called closure               fp-16: the closure
 *	       frame of the builtin that called it       fp-16: the target, which the
 *	       (PromiseFulfillReactionJob)                      closure's result settles
 *
 *	closure (JSFunction) --context--> generator object of the function that resumes
 *	generator object     --promise--> JSPromise that the function returned to its caller
 *	JSPromise        --reactions--> PromiseReaction: { fulfill handler, target }
 *	                                    the next closure
 *
 * The closure's kind is a builtin id, which is in the closure's SharedFunctionInfo in place of
 * bytecode. The kind determines where the next object is:
 *
 *	await in an async function, an async generator   context slot 2: generator object
 *	element of Promise.all, allSettled, any          context slot 3: PromiseCapability
 *	resolve function of a promise                    context slot 2: JSPromise
 *	another handler (`.then(f)`), or no handler       the target of the reaction
 *
 * v8/src/execution/isolate.cc (CaptureAsyncStackTrace) and v8/src/builtins/promise-*.tq at
 * 12.4.254 follow the same path. Except for the offsets in struct v8_async, the offsets in
 * objects were the same in running V8 8.4 to 14.6 on x86-64. The machine code of those
 * builds shows, on both architectures, that the builtin PromiseFulfillReactionJob keeps the
 * target at fp-16.
 *
 * Each step of the walk follows one link. Objects move and change, so the walk checks the type of
 * each object that leads to a name. Neither the walk nor V8 itself follows a promise with several
 * reactions.
 */

#include "v8.h"

#define V8_MAX_LINKS 32

/* How many bytes of each object are read, and offsets in the objects. */
#define V8_CLOSURE_LEN 56
#define V8_SHARED_LEN 24
#define V8_PROMISE_LEN 40
#define V8_PROMISE_REACTIONS 24
#define V8_PROMISE_FLAGS 32 /* a SMI; the promise is pending if the two lowest bits are 0 */
#define V8_REACTION_LEN 48 /* next reaction: 16 bytes below the handler; target: 8 above */
#define V8_CONTEXT_LEN 48
#define V8_CONTEXT_SLOT_2 32
#define V8_CONTEXT_SLOT_3 40
#define V8_CAPABILITY_LEN 16
#define V8_CAPABILITY_PROMISE 8
#define V8_GENERATOR_LEN 88
#define V8_GENERATOR_FUNCTION 24
#define V8_GENERATOR_POSITION 48 /* suspended at this bytecode offset, as in a frame */
#define V8_GENERATOR_STATE 64 /* a SMI; -2: running, -1: finished */
#define V8_GENERATOR_PROMISE 80 /* the first AsyncGeneratorRequest of a generator */
#define V8_REQUEST_LEN 40
#define V8_REQUEST_PROMISE 32

/* Result of following a link. */
enum v8_link {
	V8_LINK_ON,
	V8_LINK_END, /* there is no awaiter, or none that can be identified */
	V8_LINK_LOST, /* an object is unreadable or does not have the expected type */
};

/* Returns a word of the object that was read last. */
UW_INLINE u64 v8_async_word(const struct uw_state *u, u64 off)
{
	return uw_word(u->scratch + port_index(off, 0x78));
}

/* Reads @len bytes of an object. Returns false if the object does not have the given type. */
UW_INLINE bool v8_async_read(struct uw_state *u, const struct v8_async *a, enum v8_async_type type,
			     u64 tagged, u32 len)
{
	u16 instance_type;
	u64 map;

	if (!v8_is_heap_object(tagged) || uw_read(u, u->scratch, len, tagged - 1))
		return false;
	map = v8_async_word(u, 0);
	if (map == u->chain.maps[type])
		return true;
	if (!v8_is_heap_object(map) || read_user(u, &instance_type, map - 1 + a->map_type_off) ||
	    instance_type != a->types[type])
		return false;
	u->chain.maps[type] = map;
	return true;
}

#define V8_NO_BUILTIN ~0u

/* Returns the id of the handler's builtin, or V8_NO_BUILTIN if the handler is another function. */
UW_INLINE u32 v8_async_builtin(struct uw_state *u, const struct v8_info *info)
{
	const struct v8_async *a = &info->async;
	struct v8_chain *c = &u->chain;
	u64 id;

	if (!v8_is_heap_object(c->handler) ||
	    uw_read(u, u->scratch, V8_CLOSURE_LEN, c->handler - 1))
		return V8_NO_BUILTIN;
	c->shared = v8_async_word(u, info->shared_off);
	c->context = v8_async_word(u, a->context_off);
	if (!v8_async_read(u, a, V8_ASYNC_SHARED, c->shared, V8_SHARED_LEN))
		return V8_NO_BUILTIN;
	id = v8_async_word(u, a->id_off);
	return (u32)id ? V8_NO_BUILTIN : (u32)(id >> 32);
}

/* Appends the frame of an async function. */
UW_INLINE void v8_async_frame(struct uw_state *u, u64 shared, u64 position, u32 id, u8 status)
{
	struct uw_frame *f = uw_new_frame(u, 0);

	if (!f)
		return;
	f->kind = UW_V8_JS;
	f->flags = UW_FRAME_ASYNC;
	f->status = status;
	f->a = shared;
	f->b = position;
	f->aux = id;
	if (status == UW_OK)
		port_note(u, UW_NOTE_V8_AWAITER, shared);
	else
		port_note(u, UW_NOTE_REASON, status);
}

/*
 * Appends the awaiting function. Continues with the function's promise or, if the function is an
 * async generator, with the promise that the generator gave to its caller.
 */
UW_INLINE enum v8_link v8_async_resume(struct uw_state *u, const struct v8_info *info,
				       enum v8_async_type type)
{
	const struct v8_async *a = &info->async;
	struct v8_chain *c = &u->chain;
	u64 generator, function, position, state, shared;

	if (uw_read(u, u->scratch, V8_CONTEXT_LEN, c->context - 1))
		return V8_LINK_LOST;
	generator = v8_async_word(u, V8_CONTEXT_SLOT_2);
	if (!v8_async_read(u, a, type, generator, V8_GENERATOR_LEN))
		return V8_LINK_LOST;
	function = v8_async_word(u, V8_GENERATOR_FUNCTION);
	position = v8_async_word(u, V8_GENERATOR_POSITION);
	state = v8_async_word(u, V8_GENERATOR_STATE);
	c->promise = v8_async_word(u, V8_GENERATOR_PROMISE);
	if (!c->is_running) {
		if ((s64)state < 0)
			return V8_LINK_LOST;
		if (!v8_is_heap_object(function) ||
		    read_user(u, &shared, function - 1 + info->shared_off))
			return V8_LINK_LOST;
		v8_async_frame(u, shared, position, 0, UW_OK);
	}
	if (type == V8_ASYNC_FUNCTION)
		return V8_LINK_ON;
	if (!v8_async_read(u, a, V8_ASYNC_REQUEST, c->promise, V8_REQUEST_LEN))
		return V8_LINK_END; /* no pending request */
	c->promise = v8_async_word(u, V8_REQUEST_PROMISE);
	return V8_LINK_ON;
}

/*
 * Continues with @target if @target is a promise, or with the promise of @target if @target is a
 * PromiseCapability.
 */
UW_INLINE enum v8_link v8_async_settle(struct uw_state *u, const struct v8_async *a, u64 target)
{
	u->chain.promise = target;
	if (v8_async_read(u, a, V8_ASYNC_PROMISE, target, V8_PROMISE_LEN))
		return V8_LINK_ON;
	if (!v8_async_read(u, a, V8_ASYNC_CAPABILITY, target, V8_CAPABILITY_LEN))
		return V8_LINK_END;
	u->chain.promise = v8_async_word(u, V8_CAPABILITY_PROMISE);
	return V8_LINK_ON;
}

/* Follows the handler to the promise that the handler settles. */
UW_INLINE enum v8_link v8_async_follow(struct uw_state *u, const struct v8_info *info)
{
	const struct v8_async *a = &info->async;
	struct v8_chain *c = &u->chain;
	u32 id = v8_async_builtin(u, info);
	u64 target = c->target;

	if (id - a->await_id < V8_AWAIT_IDS)
		return v8_async_resume(u, info, V8_ASYNC_FUNCTION);
	if (id - a->generate_id < V8_GENERATE_IDS)
		return v8_async_resume(u, info, V8_ASYNC_GENERATOR);
	if (id - a->element_id < V8_ELEMENT_IDS || id == a->resolve_id) {
		if (uw_read(u, u->scratch, V8_CONTEXT_LEN, c->context - 1))
			return V8_LINK_LOST;
		target = v8_async_word(u,
				       id == a->resolve_id ? V8_CONTEXT_SLOT_2 : V8_CONTEXT_SLOT_3);
		if (id != a->resolve_id && !c->is_running)
			v8_async_frame(u, c->shared, 0, id, UW_OK);
	}
	return v8_async_settle(u, a, target);
}

/* Follows the promise to the handler that runs when the promise is settled. */
UW_INLINE enum uw_status v8_async_reaction(struct uw_state *u, const struct v8_async *a)
{
	struct v8_chain *c = &u->chain;
	u64 reactions, flags;

	if (!v8_async_read(u, a, V8_ASYNC_PROMISE, c->promise, V8_PROMISE_LEN))
		return UW_F_WAITS_FAULT;
	flags = v8_async_word(u, V8_PROMISE_FLAGS);
	reactions = v8_async_word(u, V8_PROMISE_REACTIONS);
	if (flags >> 32 & 3 || !v8_is_heap_object(reactions))
		return UW_END; /* the promise is settled, or has no reaction */
	if (!v8_async_read(u, a, V8_ASYNC_REACTION, reactions, V8_REACTION_LEN))
		return UW_F_WAITS_FAULT;
	if (v8_async_word(u, a->fulfill_off - 16u))
		return UW_F_WAITS_SEVERAL;
	c->handler = v8_async_word(u, a->fulfill_off);
	c->target = v8_async_word(u, a->fulfill_off + 8u);
	return UW_OK;
}

/**
 * v8_async_step() - follow one link of the chain of awaiters
 * @u:		walk state; u->chain.n_links is not 0
 *
 * Appends a frame if it finds a function, or a frame with a reason if the chain is broken.
 * Does not change registers, so at the end of the chain the walk continues on the stack.
 *
 * Return: UW_OK.
 */
UW_INLINE enum uw_status v8_async_step(struct uw_state *u)
{
	const struct v8_info *info = port_info_v8(u->map.info_idx);
	struct v8_chain *c = &u->chain;
	enum uw_status status = UW_F_WAITS_FAULT;
	enum v8_link link;

	if (!info)
		return UW_OK;
	link = v8_async_follow(u, info);
	c->is_running = false;
	c->n_links--;
	if (link == V8_LINK_ON)
		status = v8_async_reaction(u, &info->async);
	if (link == V8_LINK_END || status == UW_END) {
		c->n_links = 0;
		return UW_OK;
	}
	if (status == UW_OK && !c->n_links)
		status = UW_F_WAITS_MORE;
	if (status == UW_OK)
		return UW_OK;
	c->n_links = 0;
	v8_async_frame(u, 0, 0, 0, (u8)status);
	return UW_OK;
}

/**
 * v8_async_begins() - did V8's microtask loop call the previous frame's function?
 * @u:		walk state; u->map is the mapping of f->pc
 * @f:		the last frame of the sample
 *
 * If so, removes @f from the sample and starts the chain of awaiters; after the walk has appended
 * the awaiters, it finds @f again. The previous frame must be that of a JavaScript function.
 */
UW_INLINE bool v8_async_begins(struct uw_state *u, const struct uw_frame *f)
{
	const struct v8_info *info = port_info_v8(u->map.info_idx);
	u64 off = f->pc - u->map.start_addr + u->map.file_off;
	struct v8_chain *c = &u->chain;
	u32 n = u->sample.n_frames;
	const struct uw_frame *callee;
	const u8 *slot;

	if (!info || off - info->async.job_off >= info->async.job_len || u->is_top ||
	    c->loop_fp == u->regs.fp || n < 2 || fp_check(u))
		return false;
	c->loop_fp = u->regs.fp;
	callee = &u->sample.frames[port_index(n - 2, UW_MAX_FRAMES - 1)];
	if (callee->kind != UW_V8_JS || callee->status != UW_OK || callee->a != u->memo_shared)
		return false;
	slot = uw_window(u, u->regs.fp - V8_FUNCTION_SLOT, 16);
	if (!slot)
		return false;
	c->handler = u->memo_function;
	c->target = uw_word(slot);
	for (u32 i = 0; i < V8_ASYNC_N_TYPES; i++)
		c->maps[i] = 0;
	c->n_links = V8_MAX_LINKS;
	c->is_running = true;
	u->sample.n_frames = (u16)(n - 1);
	port_note(u, UW_NOTE_V8_CHAIN, c->target);
	return true;
}
