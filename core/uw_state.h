/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The state of one walk. It is too large for a BPF stack and for a per-CPU map value, so a
 * driver keeps one for each CPU or thread and reuses it; only the cached rules survive
 * uw_walk_begin().
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
	u64 lr; /* 0 where the architecture has none */
	u64 scratch[UW_N_SCRATCH]; /* by enum uw_scratch; 0 where the architecture has none */
};

/*
 * The part of a function's frame that has been undone so far, while its rule is computed. Offsets
 * are relative to sp or fp. They are in memory, where the verifier forgets values; otherwise it
 * would follow each combination of values through the rest of the walk.
 */
struct uw_undo {
	u32 at; /* position in the unwind information */
	u32 off; /* current sp; all offsets wrap, because the unwind information may be garbage */
	u32 fp_at; /* slot where fp was saved */
	u32 frame_off; /* sp after the prologue */
	u8 fp_saved;
	u8 by_fp;
};

/*
 * V8: the chain of awaiters. A promise is settled by a call of a handler. If the handler is not a
 * known one, its result settles @target. See v8/v8_async.h.
 */
struct v8_chain {
	u64 loop_fp; /* fp of V8's own frame that called the first handler; 0: none yet */
	u64 handler; /* a JSFunction, unless the memory changed */
	u64 target; /* a JSPromise or PromiseCapability, unless the memory changed */
	u64 shared, context; /* SharedFunctionInfo and context of the handler */
	u64 promise; /* the promise that the handler settles */
	u64 maps[V8_ASYNC_N_TYPES]; /* for each type: map of the last object read */
	u8 n_links; /* number of links that may still be followed; 0: the chain is done */
	bool is_running; /* the handler is on the stack */
};

/* Cached rule of a return address in CoreCLR's code: see dotnet/rule_cache.h. */
struct uw_cached_rule {
	u64 process_key; /* the process, as uw_state.process_key */
	u64 pc;
	u64 start, header, method_desc; /* of the method */
	struct uw_rule rule;
};

#define UW_N_CACHED_RULES 1024

struct uw_state {
	struct uw_regs regs; /* registers of the frame that the next step processes */
	u64 va_mask; /* address bits of a return address; the other bits are its signature */
	u64 stack_low; /* no frame record is below this address */
	u64 step_fp; /* regs.fp at the start of this step */
	u64 extent; /* the process's mappings, as uw_process.extent */
	struct uw_mapping map; /* mapping of the last pc; end_addr 0: none yet */
	u64 memo_function; /* V8: the last JSFunction that was read, 0: none */
	u64 memo_shared; /* SharedFunctionInfo of memo_function */
	u64 awaiter; /* .NET: the object that the next step reads; 0: none */
	struct v8_chain chain;
	u64 win_addr;
	u32 win_len; /* 0: nothing in the window */
	u32 n_awaiters; /* .NET: number of awaiters found; 0: not searched yet */
	u8 next_flags; /* enum uw_frame_flags of the next frame */
	bool has_tables; /* extent is valid */
	bool sp_known;
	bool has_guess; /* a frame so far was found by a guess */
	bool is_hijacked; /* a hijacked return address could not be resolved */
	bool is_blind; /* a frame's code was in no table, because the process has none */
	bool is_top; /* regs are those of an interrupted instruction, all valid */
	u8 found_by; /* enum flight_rule that found the last caller; only for the flight recorder */
	bool in_js; /* V8: the frame of a JavaScript function has been found */
	/* 0: this step's row has no frame record. Else fp has it; the caller's sp is fp + this. */
	u16 record_len;
	struct uw_undo undo;
	struct uw_rule rule; /* rule that was computed for this step */
	u64 process_key; /* identifies the process; 0: nothing is cached */
	u8 scratch[UW_SCRATCH_LEN]; /* data of this step */
	u8 win[UW_WINDOW_LEN + UW_WINDOW_USE];
	struct uw_sample sample; /* result of the walk */
	struct uw_cached_rule rule_cache[UW_N_CACHED_RULES];
};
