/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A question to the resolvers of v8_location.c, which functions and lines a pc of compiled code
 * stands for, and the answer. Private to inspect/v8.
 */

#include "v8_deopt.h"

/* What a pc is known to be besides. */
enum v8_via {
	V8_VIA_PC, /* nothing */
	V8_VIA_DEFERRED, /* a builtin returns behind it that is called by deferred code */
	V8_VIA_DEOPT, /* the deoptimizer was called, and what returns behind it may be an exit */
	V8_VIA_EXIT, /* ... and is one, or the pc means nothing */
};

/* One function of a frame. */
struct v8_inlined {
	u64 sfi;
	s32 pos; /* offset in its script, or -1 */
	bool is_bytecode; /* @pos is the offset of a bytecode, -1: the function's entry */
	bool is_anywhere; /* @pos means nothing */
	const char *why; /* it has no line, or NULL */
};

struct v8_location {
	u32 off; /* of the instruction that stands for the pc */
	bool is_moved; /* ... which is another one */
	bool is_own; /* of cleared code: it has a position of the function */
	const char *how; /* the resolver that was asked last */
	const char *reason; /* the last to decline did so, or no function is known */
	int n;
	struct v8_inlined functions[V8_MAX_NAMES - 1]; /* leaf first */
};

struct v8_query {
	struct v8_deopt d; /* the code's tables */
	u64 sfi, bytecode; /* the function that the code is of */
	u32 off; /* of the pc in the code */
	enum v8_via via;
	bool is_cleared; /* V8 has thrown the code out, and cleared its deoptimization data */
	struct v8_location at; /* the answer; its @off is @off to begin with */
};

enum v8_verdict {
	V8_DECLINES, /* with a reason: the next one is asked */
	V8_MOVES, /* the offset: the next one is asked about that */
	V8_ANSWERS,
	V8_GIVES_UP, /* with a reason: the function is known, and nothing else */
	V8_MEANS_NOTHING, /* V8_VIA_EXIT: there is no exit */
};
