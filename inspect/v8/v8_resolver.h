/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A query to the resolvers of v8_location.c about the functions and lines at a pc of compiled code,
 * and the answer. Private to inspect/v8.
 */

#include "v8_deopt.h"

/* The information about a pc that the frames around it give. */
enum v8_via {
	V8_VIA_PC, /* no context */
	V8_VIA_DEFERRED, /* the code called a builtin that only deferred code calls */
	V8_VIA_DEOPT, /* the code called the deoptimizer, and pc may be in an exit */
	V8_VIA_EXIT, /* the code called the deoptimizer; pc is in an exit, or has no meaning */
};

/* One function of a frame. */
struct v8_inlined {
	u64 sfi;
	s32 pos; /* offset in the function's script, or V8_NO_SCRIPT_OFFSET */
	bool is_bytecode; /* @pos is a bytecode offset, or V8_FUNCTION_ENTRY */
	bool is_anywhere; /* @pos is meaningless */
	const char *why; /* the reason why the function has no line, or NULL */
};

struct v8_location {
	u32 off; /* offset of the instruction whose position is also that of the pc */
	bool is_moved; /* a resolver has changed @off */
	bool is_own; /* in cleared code, the position is one of the function's own */
	const char *how; /* name of the resolver called last */
	const char *reason; /* the reason why that resolver declined, or why no function is known */
	int n;
	struct v8_inlined functions[V8_MAX_NAMES - 1]; /* leaf first */
};

struct v8_query {
	struct v8_deopt d; /* the code's tables */
	u64 sfi, bytecode; /* SharedFunctionInfo and BytecodeArray of the compiled function */
	u32 off; /* offset of the pc in the code */
	enum v8_via via;
	bool is_cleared; /* V8 has discarded the code and cleared the deoptimization data */
	struct v8_location at; /* the answer; at.off is set to @off first */
};

enum v8_verdict {
	V8_DECLINES, /* sets a reason; the next resolver is called */
	V8_MOVES, /* changes the offset, with which the next resolver is called */
	V8_ANSWERS,
	V8_GIVES_UP, /* sets a reason; only the compiled function is known */
	V8_MEANS_NOTHING, /* only for V8_VIA_EXIT: no exit was found */
};
