/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The state of one walk. It is too large for a BPF stack and for a per-CPU map value, so a
 * driver has one state for each CPU or thread and reuses it; uw_walk_begin() resets all but
 * the cached rules.
 */

#include "native/row.h"
#include "uw_frame.h"
#include "uw_mapping.h"
#include "v8/v8_info.h"

#define UW_WINDOW_LEN 1024 /* a read of this size costs little more than one of 8 bytes */
#define UW_WINDOW_USE 128 /* maximum length of one uw_window() call */
#define UW_SCRATCH_LEN 512
#define UW_PAGE_LEN 4096
#define UW_MAX_FRAME_LEN (1ull << 20)

struct uw_regs {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 lr; /* 0 on architectures without lr */
	u64 scratch[UW_N_SCRATCH]; /* indexed by enum uw_scratch; 0 unless x86-64 */
};

/*
 * How much of a function's frame has been undone so far, while the walk computes the function's
 * rule. Offsets are relative to sp or fp. The members are stored in memory, because the verifier
 * does not track values in memory. If it tracked them, it would check the rest of the walk for each
 * combination of values.
 */
struct uw_undo {
	u32 at; /* position in the unwind information */
	/* sp after the operations undone so far; it wraps if the unwind information is garbage */
	u32 off;
	u32 fp_at; /* slot where fp was saved */
	u32 frame_off; /* sp after the prologue */
	u8 fp_saved;
	u8 by_fp;
};

/*
 * V8: the chain of awaiters. V8 settles a promise by calling a handler. If the handler is none of
 * the known builtins, the handler's result settles @target. See v8/v8_async.h.
 */
struct v8_chain {
	/* fp of the frame of the V8 builtin that called the first handler; 0 until it is found */
	u64 loop_fp;
	u64 handler; /* a JSFunction, unless the memory has changed */
	u64 target; /* a JSPromise or PromiseCapability, unless the memory has changed */
	u64 shared, context; /* SharedFunctionInfo and context of the handler */
	u64 promise; /* the promise that the handler settles */
	u64 maps[V8_ASYNC_N_TYPES]; /* for each type, the map of the last object read */
	u8 n_links; /* number of links that may still be followed; 0 means that the chain is done */
	bool is_running; /* the handler is on the stack */
};

/* Cached rule of a return address in CoreCLR's code: see dotnet/rule_cache.h. */
struct uw_cached_rule {
	u64 process_key; /* identifies the process, as uw_state.process_key */
	u64 pc;
	u64 start, header, method_desc; /* of the method */
	struct uw_rule rule;
};

#define UW_N_CACHED_RULES 1024

struct uw_state {
	struct uw_regs regs; /* registers of the frame that the next step processes */
	u64 va_mask; /* mask of a return address's address bits; the other bits are its signature */
	u64 stack_low; /* the next frame record can't be below this address */
	u64 step_fp; /* regs.fp at the start of this step */
	u64 extent; /* the process's mappings, in the format of uw_process.extent */
	struct uw_mapping map; /* the mapping that contains the last pc; end_addr 0: none yet */
	u64 memo_function; /* V8: the last JSFunction that was read; 0: none */
	u64 memo_shared; /* the SharedFunctionInfo of @memo_function */
	u64 awaiter; /* .NET: the object that the next step reads; 0: none */
	struct v8_chain chain;
	u64 win_addr;
	u32 win_len; /* length of the window in bytes; 0 means that the window is empty */
	u32 n_awaiters; /* .NET: number of awaiters found; 0 until the walk has searched for them */
	u8 next_flags; /* enum uw_frame_flags that the next frame will have */
	bool has_tables; /* extent is valid */
	bool sp_known;
	bool has_guess; /* at least one frame so far is a guess */
	bool is_hijacked; /* a hijacked return address could not be resolved */
	bool is_blind; /* a frame's code was in no table, because the process has no tables */
	bool is_top; /* regs are those at an interrupted instruction, and all are valid */
	u8 found_by; /* for the flight recorder: enum flight_rule that found the last caller */
	bool in_js; /* V8: the frame of a JavaScript function has been found */
	/*
	 * 0 if this step's unwind row shows that there is no frame record. Else the record is at
	 * fp, and the caller's sp is fp + record_len.
	 */
	u16 record_len;
	struct uw_undo undo;
	struct uw_rule rule; /* the rule that the walk computed for this step */
	u64 process_key; /* identifies the process in the cache of rules; 0 disables the cache */
	u8 scratch[UW_SCRATCH_LEN]; /* memory that this step reads objects into */
	u8 win[UW_WINDOW_LEN + UW_WINDOW_USE];
	struct uw_sample sample; /* result of the walk */
	struct uw_cached_rule rule_cache[UW_N_CACHED_RULES];
};
