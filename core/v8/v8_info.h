/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * Facts about one build of V8 that the step needs. Wire format; made by user space
 * (inspect/v8) from the binary's own metadata.
 *
 * Slots are distances below fp; offsets are relative to the untagged address.
 */

#include "../types.h"

/* Slots below fp that are the same in every build; see v8.h. */
#define V8_CONTEXT_SLOT 8
#define V8_FUNCTION_SLOT 16
#define V8_SAVED_SLOT 24 /* in a stub's frame: first of the words that go to uw_sample.saved */
#define V8_SLOTS_LEN 48 /* all slots, read by one uw_window() call */
/* fp + this: the JSFunction of an exit frame of a C++ builtin; see v8.h. */
#define V8_EXIT_TARGET 24
#define V8_MAX_MARKER 126 /* there are fewer than 64 frame types */

/* Types of objects that v8_async.h checks. */
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

/* How to find the awaiters of the function that runs; see v8_async.h. */
struct v8_async {
	u32 job_off, job_len; /* file offset of the builtins that run reactions; 0: unknown */
	u16 map_type_off; /* offset of the instance type in Map */
	u16 types[V8_ASYNC_N_TYPES]; /* instance types */
	u16 context_off; /* offset of the context in JSFunction */
	u16 id_off; /* offset in SharedFunctionInfo of a builtin's id, a SMI */
	u16 fulfill_off; /* offset of the handler in PromiseReaction */
	/* Ids of the builtins whose closures settle promises; first id of each group: */
	u16 await_id; /* V8_AWAIT_IDS that resume an async function */
	u16 generate_id; /* V8_GENERATE_IDS that resume an async generator */
	u16 element_id; /* V8_ELEMENT_IDS of Promise.all, allSettled and any */
	u16 resolve_id; /* a promise's own resolve function */
	u16 pad;
};
_Static_assert(sizeof(struct v8_async) == 40, "wire");
_Static_assert(offsetof(struct v8_async, pad) == 38, "wire");

#define V8_AWAIT_IDS 2
#define V8_GENERATE_IDS 3
#define V8_ELEMENT_IDS 4

struct v8_info {
	u16 bytecode_array_slot; /* fp - this: BytecodeArray of an interpreted frame */
	u16 bytecode_offset_slot; /* fp - this: the bytecode offset, a SMI */
	u16 shared_off; /* offset of the SharedFunctionInfo in JSFunction */
	u16 exit_marker; /* frame type << 1 of the exit frame of C++ builtins, 0: unknown */
	u16 jspi_marker; /* marker of the frame at the bottom of a WebAssembly stack, 0: unknown */
	u16 deopt_caller_off; /* in a Deoptimizer, of the caller's sp, fp and pc; 0: unknown */
	/* In a Deoptimizer: offset of the deoptimization exit's return address; 0: unknown. */
	u16 deopt_from_off;
	/* Bytes pushed by V8 8.4's deoptimization entry; 0: the entry is a builtin. */
	u16 deopt_pushed_len;
	struct v8_async async;
};
_Static_assert(sizeof(struct v8_info) == 56, "wire");
_Static_assert(offsetof(struct v8_info, async) == 16, "wire");
