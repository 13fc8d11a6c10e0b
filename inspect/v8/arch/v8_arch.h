/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The builtins of one architecture, as v8_rows.c follows them. */

#include "../../unwind/data_flow.h"
#include "../../unwind/flow_code.h"
#include "../../unwind/rules.h"

/* A builtin's instructions. */
struct v8_row_text {
	struct flow_code code;
	const u8 *bytes;
	u32 len;
};

/* The state before a builtin's first instruction. */
enum v8_row_start {
	V8_ROW_CALLED,
	V8_ROW_PUSHED, /* called by a function that pushed fp, and counts as that function */
	V8_ROW_FRAMED, /* on the frame of the function that the builtin works for */
	V8_N_ROW_STARTS,
};

struct v8_row_arch {
	size_t state_size; /* of struct data_flow_ops, as transfer and join */
	const void *start[V8_N_ROW_STARTS];
	int (*decode)(struct flow_code *c, const u8 *bytes, u32 len, u64 addr);
	bool (*transfer)(const void *text, u32 i, void *state);
	enum data_flow_join (*join)(const void *text, u32 i, void *old, const void *now,
				    enum data_flow_when when);
	/* Sets states that nothing leads to by what must hold at an exit; or NULL. */
	void (*follow_exits)(const struct v8_row_text *text, void *states);
	/* The rule at an instruction, @state being that before it; false: there is none. */
	bool (*rule)(const struct v8_row_text *text, u32 i, const void *state,
		     struct uw_rule *rule);
};

extern const struct v8_row_arch v8_row_x86_64, v8_row_arm64;

/* cfa = fp + 16: V8's frame record is there, on both architectures. */
extern const struct uw_rule v8_rule_framed;
