/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A builtin is called, or jumped to by another in its last instruction: at its first
 * instruction the return address is at sp, and fp is the caller's. From there on every
 * instruction's state follows from the one before it:
 *
 *	BARE	the return address is height words above sp; the caller's fp may have
 *		been pushed as the first of them (push rbp), or as a later one to which fp
 *		leads by now, behind what is no return address
 *	FRAMED	fp leads to V8's frame record; where sp is does not matter
 *	AT_FP	the same, and sp is fp (mov rbp, rsp)
 *	INNER	the fp of FRAMED was pushed, and fp leads there
 *	POPPED	the return address was popped into a register, and is below sp still
 *	HELD	it was popped into a scratch register (core/native/row.h), or copied before fp was
 *		loaded, where it stays while what lies above it is moved
 *	AT	a scratch register has the sp of before the stack was made larger by a number that
 *		is not known: the return address is there
 *	COPYING	what lies there is copied down by a loop, the return address first: it is there,
 *		or at sp already
 *	ALIGNED	as BARE, and sp was aligned for a call of C++: where it was is kept at sp
 *	LOST	two ways that don't agree, or something that is not understood
 */

#include "../../../../core/native/row.h"
#include "../v8_arch.h"

#define V8_ROW_MAX_HEIGHT 4096 /* words */

enum where { UNKNOWN, BARE, FRAMED, AT_FP, INNER, POPPED, HELD, AT, COPYING, ALIGNED, LOST };

struct v8_row_state {
	u8 where;
	bool fp_pushed; /* BARE: the caller's fp is the first word */
	u8 scratch; /* 1 + which one HELD and AT are about; BARE: has the sp of height 0; 0: none */
	u32 height; /* BARE, ALIGNED: words between the return address and sp, or where sp was */
	u32 fp_at; /* BARE, ALIGNED: fp leads to this one of them, and the caller's is there; or 0.
		      INNER: is sp fp? */
};

static const struct v8_row_state lost = { .where = LOST };
static const struct v8_row_state framed = { .where = FRAMED };

/* The state behind an instruction, @s being that before it. */
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
