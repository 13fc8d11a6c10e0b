/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The state of the stack before an instruction, and the effect of an instruction on
 * it. At a function's first instruction
 *
 *	x86-64	cfa = sp + 8, ra at cfa - 8, fp the caller's
 *	arm64	cfa = sp, ra in lr, fp the caller's
 */

#include "../../core/native/row.h"
#include "flow_code.h"

enum flow_kind {
	FLOW_UNKNOWN, /* unreached */
	FLOW_KNOWN,
	FLOW_TWO_WAYS, /* two paths lead here with different states */
	FLOW_ROOT, /* fp was cleared, so this is the first function of a thread */
};

struct flow_state {
	u8 kind;
	bool has_height, has_fp;
	bool lost_fp; /* the caller's fp is lost */
	bool has_lr; /* the return address is in lr */
	s32 height; /* cfa = sp + 8 * height */
	s32 fp_words; /* cfa = fp + 8 * fp_words */
	s32 saved; /* the caller's fp is at cfa - 8 * saved; 0: it is in fp */
	s32 saved_ra; /* the return address is at cfa - 8 * saved_ra; 0: it is only in lr */
};

extern const struct flow_state flow_start_x86_64, flow_start_arm64;

bool flow_same(const struct flow_state *a, const struct flow_state *b);

/*
 * Whether the states of two paths are equal except for fp and lr, which one of the paths may have
 * clobbered.
 */
bool flow_agree(const struct flow_state *a, const struct flow_state *b);

/* The common part of the states of two paths that agree. */
struct flow_state flow_both(const struct flow_state *a, const struct flow_state *b);

/* Whether a function may return in this state. */
bool flow_may_return(const struct flow_state *s, const struct flow_state *start);

/*
 * Changes @s to the state after an instruction, or to FLOW_TWO_WAYS if neither sp nor fp is known
 * after it.
 */
void flow_change(struct flow_state *s, const struct flow_insn *insn);

/* Translates a state to a rule. Returns false if there is no rule. */
bool flow_rule(const struct flow_state *s, struct uw_rule *rule);
