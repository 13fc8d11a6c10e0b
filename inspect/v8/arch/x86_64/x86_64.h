/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The unwind state at each instruction of an x86-64 builtin. A builtin is entered by a call, or by
 * a jump that ends another builtin; so at the builtin's first instruction, the return address is at
 * sp, and fp is the caller's. The state at every other instruction follows from the state at the
 * previous one:
 *
 *	BARE	the return address is height words above sp; the caller's fp may have
 *		been pushed as the first of them (push rbp), or as a later one, after a word
 *		that is not a return address; then fp leads to it
 *	FRAMED	fp leads to V8's frame record; sp does not matter
 *	AT_FP	as FRAMED, and sp is fp (mov rbp, rsp)
 *	INNER	the fp of FRAMED was pushed, and fp now leads to the pushed word
 *	POPPED	the return address was popped into a register, and is still below sp
 *	HELD	the return address is in a scratch register (core/native/row.h) during a move:
 *		it was popped, or copied before fp was loaded
 *	AT	the stack was extended by an unknown number of bytes: a scratch register has the
 *		old sp, where the return address is
 *	COPYING	a loop copies the words at the old sp down, the return address first: that is still
 *		at the old sp, or already at sp
 *	ALIGNED	as BARE, and sp was aligned for a call of C++: the old sp is saved at sp
 *	LOST	paths that disagree, or an instruction that is not understood
 */

#include "../../../../core/native/row.h"
#include "../v8_arch.h"

#define V8_ROW_MAX_HEIGHT 4096 /* words */

enum where { UNKNOWN, BARE, FRAMED, AT_FP, INNER, POPPED, HELD, AT, COPYING, ALIGNED, LOST };

struct v8_row_state {
	u8 where;
	bool fp_pushed; /* BARE: the caller's fp is the first word */
	u8 scratch; /* 1 + register of HELD, AT; BARE: 1 + a register with the first sp; 0: none */
	u32 height; /* BARE, ALIGNED: words between the return address and the (old) sp */
	/* BARE, ALIGNED: index of the word at fp, if it has the caller's fp; INNER: is sp fp? */
	u32 fp_at;
};

static const struct v8_row_state lost = { .where = LOST };
static const struct v8_row_state framed = { .where = FRAMED };

/* Returns the state after an instruction; @s is the state before it. */
struct v8_row_state v8_row_after(const struct v8_row_text *text, const struct v8_row_state *s,
				 const struct flow_insn *insn);

/* For struct v8_arch. */
extern const struct v8_row_state v8_row_called, v8_row_pushed;
bool v8_row_transfer(const void *user, u32 i, void *state);
enum data_flow_join v8_row_join(const void *user, u32 i, void *before, const void *now,
				enum data_flow_when when);
void v8_row_follow_exits(const struct v8_row_text *text, void *states);
bool v8_row_rule(const struct v8_row_text *text, u32 i, const void *state, struct uw_rule *rule);
int v8_handler_places(const u8 *code, u32 len, u32 slot_off, struct v8_place *places);
