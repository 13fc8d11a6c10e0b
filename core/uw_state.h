/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The state of one walk. It is too large for a BPF stack and for a per-CPU map
 * value, so a driver keeps one for each CPU or thread and reuses it; nothing but the
 * rule_cache survives uw_walk_begin().
 */

#include "native/row.h"
#include "uw_frame.h"
#include "uw_mapping.h"
#include "v8/v8_info.h"

#define UW_WINDOW_LEN 1024 /* a read of this size costs little more than one of 8 bytes */
#define UW_WINDOW_USE 128 /* the most that one uw_window() call gives */
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
 * What of a function's frame has been undone, while a rule is made of it: as offsets from
 * sp, or from fp. In memory, where the verifier forgets values: it would follow each
 * combination of them through the rest of the walk.
 */
struct uw_undo {
	u32 at; /* how far its description has been read */
	u32 off; /* where sp would be now; these wrap, as what is described may be nonsense */
	u32 fp_at; /* where fp was saved */
	u32 frame_off; /* where sp was after the prologue */
	u8 fp_saved;
	u8 by_fp;
};

/*
 * V8: who waits for what runs. A promise is settled by calling a handler with it; if that is
 * none that is known, its outcome settles @target. See v8/v8_async.h.
 */
struct v8_chain {
	u64 loop_fp; /* fp of the frame of V8's own that ran the first handler; 0: none yet */
	u64 handler; /* JSFunction, or not */
	u64 target; /* JSPromise, PromiseCapability, or not */
	u64 shared, context; /* of the handler */
	u64 promise; /* that it settles in turn */
	u64 maps[V8_ASYNC_N_TYPES]; /* the last ones that were seen to be of these types */
	u8 n_links; /* that may be followed yet; 0: there is nothing to follow */
	bool is_running; /* the handler is on the stack */
};

/* How a return address in code of CoreCLR is unwound: see dotnet/rule_cache.h. */
struct uw_cached_rule {
	u64 process_key; /* whose it is, as uw_state.process_key */
	u64 pc;
	u64 start, header, method_desc; /* of the method */
	struct uw_rule rule;
};

#define UW_N_CACHED_RULES 1024

struct uw_state {
	struct uw_regs regs; /* of the frame that the next step looks at */
	u64 va_mask; /* bits of a return address that are address; the rest is its signature */
	u64 stack_low; /* no frame record lies below */
	u64 extent; /* of the process's mappings, as in struct uw_process */
	struct uw_mapping map; /* of the last pc; end_addr 0: none yet */
	u64 memo_function; /* V8: the last JSFunction that was read, 0: none, */
	u64 memo_shared; /* and its SharedFunctionInfo */
	u64 awaiter; /* .NET: the object that the next step looks at; 0: none */
	struct v8_chain chain;
	u64 win_addr;
	u32 win_len; /* 0: nothing in the window */
	u32 n_awaiters; /* .NET: objects that wait, so far; 0: they were not sought yet */
	u8 next_flags; /* enum uw_frame_flags of the next frame */
	bool has_tables; /* extent is valid */
	bool sp_known;
	bool has_guess; /* a frame so far was found by a guess */
	bool is_hijacked; /* since a return address was another than the true one */
	bool is_blind; /* of a frame's code nothing was known, nor of the process */
	bool is_top; /* regs are those of an interrupted instruction, all valid */
	u8 found_by; /* enum flight_rule of the last caller; for the flight recorder alone */
	bool in_js; /* V8: a frame of a function has been seen */
	u16 record_len; /* of this step: a row says that there is a frame record at fp, and so far
			   above it the caller's sp; 0: none says so */
	struct uw_undo undo;
	struct uw_rule rule; /* one that was made for this step */
	u64 process_key; /* the process, as the driver tells them apart; 0: none are kept */
	u8 scratch[UW_SCRATCH_LEN]; /* of this step */
	u8 win[UW_WINDOW_LEN + UW_WINDOW_USE];
	struct uw_sample sample; /* what goes out */
	struct uw_cached_rule rule_cache[UW_N_CACHED_RULES];
};
