/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The part of the layout of one build of V8 that uw_step() needs. Wire format; user space
 * (inspect/v8) fills it from the metadata in the V8 binary.
 *
 * A slot is given as its distance below fp; an offset in an object is relative to the object's
 * untagged address.
 */

#include "../types.h"

/* Slots below fp that are the same in every build; see v8.h. */
#define V8_CONTEXT_SLOT 8
#define V8_FUNCTION_SLOT 16
#define V8_SAVED_SLOT 24 /* in a stub's frame, the first of the words copied to uw_sample.saved */
#define V8_SLOTS_LEN 48 /* length of all slots, which one uw_window() call reads */
/* fp + this: the JSFunction of an exit frame of a C++ builtin; see v8.h. */
#define V8_EXIT_TARGET 24
#define V8_MAX_MARKER 126 /* there are fewer than 64 frame types */

/* The object types that v8_async.h checks. */
enum v8_async_type {
	V8_ASYNC_SHARED, /* SharedFunctionInfo */
	V8_ASYNC_PROMISE, /* JSPromise */
	V8_ASYNC_REACTION, /* PromiseReaction */
	V8_ASYNC_CAPABILITY, /* PromiseCapability */
	V8_ASYNC_FUNCTION, /* JSAsyncFunctionObject */
	V8_ASYNC_GENERATOR, /* JSAsyncGeneratorObject */
	V8_ASYNC_REQUEST, /* AsyncGeneratorRequest */
	V8_ASYNC_N_TYPES
};

/* How to find the awaiters of the running function; see v8_async.h. */
struct v8_async {
	u32 job_off, job_len; /* range in the file of the builtins that run reactions; 0: unknown */
	u16 map_type_off; /* offset of the instance type in Map */
	u16 types[V8_ASYNC_N_TYPES]; /* instance types */
	u16 context_off; /* offset of the context in JSFunction */
	u16 id_off; /* offset in SharedFunctionInfo of the builtin's id, which is a SMI */
	u16 fulfill_off; /* offset of the handler in PromiseReaction */
	/*
	 * Ids of the builtins whose closures settle promises. Each member is the first id of a
	 * group:
	 */
	u16 await_id; /* V8_AWAIT_IDS builtins that resume an async function */
	u16 generate_id; /* V8_GENERATE_IDS builtins that resume an async generator */
	u16 element_id; /* V8_ELEMENT_IDS builtins of Promise.all, allSettled and any */
	u16 resolve_id; /* the resolve function that V8 makes for a promise */
	u16 pad;
};
_Static_assert(sizeof(struct v8_async) == 40, "wire");
_Static_assert(offsetof(struct v8_async, pad) == 38, "wire");

#define V8_AWAIT_IDS 2
#define V8_GENERATE_IDS 3
#define V8_ELEMENT_IDS 4

struct v8_info {
	u16 bytecode_array_slot; /* fp - this is the slot of an interpreted frame's BytecodeArray */
	u16 bytecode_offset_slot; /* fp - this is the slot of the bytecode offset, a SMI */
	u16 shared_off; /* offset of the SharedFunctionInfo in JSFunction */
	u16 exit_marker; /* frame type << 1 of the exit frames of C++ builtins; 0: unknown */
	u16 jspi_marker; /* marker of the frame at the bottom of a WebAssembly stack; 0: unknown */
	/* Offset in a Deoptimizer of the caller's sp, fp and pc; 0: unknown. */
	u16 deopt_caller_off;
	/* Offset in a Deoptimizer of the deoptimization exit's return address; 0: unknown. */
	u16 deopt_from_off;
	/*
	 * Number of bytes that V8 8.4's deoptimization entry pushes; 0 means that the entry is a
	 * builtin.
	 */
	u16 deopt_pushed_len;
	struct v8_async async;
};
_Static_assert(sizeof(struct v8_info) == 56, "wire");
_Static_assert(offsetof(struct v8_info, async) == 16, "wire");
