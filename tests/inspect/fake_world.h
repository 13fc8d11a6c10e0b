/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A program in the heap made by hand: one script, a function outer() that calls
 * inner(), in every tier; and the frames that a walk of it can meet.
 */

#include "fake_v8.h"

/* Kinds of code, types of objects and of scopes, as fake_v8.c's. */
enum {
	KIND_STUB = 1,
	KIND_BASELINE = 10,
	KIND_MAGLEV = 11,
	KIND_TURBOFAN = 12,
	PROTECTED = 193,
	WEAK = 199,
	WRAPPER = 195
};
enum { FUNCTION_SCOPE = 4, MODULE_SCOPE = 5 };

struct fake_world {
	u64 script, outer, inner, bytecode, inner_bytecode;
	u64 baseline_start, turbofan_start, maglev_start;
	u64 builtin;
};

/* A frame, whatever else the sample must hold, and what it is called. */
struct fake_expected {
	const char *what;
	int n;
	struct {
		const char *name;
		u32 line, column;
		enum v8_tier tier;
		int kind;
	} names[3];
};

struct fake_scene {
	struct uw_frame frame;
	u64 sp_words[3], interp[2];
	bool needs_symbols; /* what is expected is less in a stripped file */
	struct fake_expected expected;
};

#define FAKE_MAX_SCENES 33

/* Starts anew: @v is initialised. */
void fake_world(struct fake_v8 *v, struct fake_world *w);

/* The world's frames; how many. */
u32 fake_scenes(const struct fake_world *w, struct fake_scene *scenes);

/*
 * Optimized code of outer() in which what it calls was inlined, and runs at 20: inner(), or
 * outer() itself. V8's position of the call is on line 2; if there is a point in what it
 * calls, that has line 4.
 */
enum fake_call {
	FAKE_CALL_SEEN, /* by such a point */
	FAKE_CALL_OF_ITSELF, /* the same */
	FAKE_CALL_UNSEEN,
	FAKE_CALL_OF_TWO, /* a second inlined call has the position, too */
	FAKE_CALL_ALSO_MADE, /* a call that was not inlined has it */
};
u64 fake_inlined_call(struct fake_v8 *v, const struct fake_world *w, enum fake_call how);

/*
 * Maglev's code of outer() by V8 13.6, that has inner() inlined, and positions that are wrong:
 *
 *	 0  call		point 1: outer, line 2; returns to 8, or 60
 *	16  jo 56		point 0, in inner, line 2, which outer calls on line 4
 *	24  jo 41		out of line
 *	    call		point 2: inner, line 4, called on line 4; returns to 36, or 64
 *	40  ret
 *	41  call		out of line, point 1: outer, line 2; returns to 46
 *	46  jmp 30; int3
 *	56  exits of the points, 4 each
 *
 * By position outer calls inner on line 2, and is on line 4 from 38 on.
 */
u64 fake_out_of_line(struct fake_v8 *v, const struct fake_world *w);

/* Optimized code of outer() where inner() runs all the time: @n_checks that lead to @n_exits in
 * turn, at each of which outer() stands at another bytecode, on line 4. */
#define FAKE_MAX_EXITS 600
u64 fake_checks(struct fake_v8 *v, const struct fake_world *w, u32 n_checks, u32 n_exits);

/*
 * TurboFan's code of outer(), with inner() inlined, and what it is left by. @is_cleared: V8 has
 * thrown away what it was compiled with.
 *
 *	 8  call		returns to 13, or once the code is given up to its exit, 56
 *	16  jo 44		in inner, line 4, which outer calls at line 2
 *	22  jo 48		in outer, line 2
 *	28  jo 48		in outer, line 4
 *	34  jo 52		in outer, line 4
 *	44  the exits, of four bytes
 */
u64 fake_left(struct fake_v8 *v, const struct fake_world *w, bool is_cleared);

/* A JavaScript frame, and the word in its slot of the bytecode offset. */
struct uw_frame fake_js(u64 pc, u64 sfi, u64 b, u64 bytecode, u8 flags);
u64 fake_offset_slot(int offset);
