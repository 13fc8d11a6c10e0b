/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A program in the fake heap: one script, in which outer() calls inner(), with code of every tier;
 * and the frames that a walk of this program can contain.
 */

#include "fake_v8.h"

/* Code kinds, and types of objects and scopes, as in fake_v8.c. */
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

/*
 * A frame, the other parts of the sample that are needed to symbolize the frame, and the expected
 * names.
 */
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
	bool needs_symbols; /* else only a part of the expected result is found */
	struct fake_expected expected;
};

#define FAKE_MAX_SCENES 33

/* Builds the world in a new heap; @v is initialized. */
void fake_world(struct fake_v8 *v, struct fake_world *w);

/* Stores the frames of the world. Return: their number. */
u32 fake_scenes(const struct fake_world *w, struct fake_scene *scenes);

/*
 * Optimized code of outer() with a call at offset 20 to an inlined function: inner(), or outer()
 * itself. V8's position of the call is on line 2. A deoptimization point in the inlined function,
 * if there is one, gives line 4.
 */
enum fake_call {
	FAKE_CALL_SEEN, /* with a point in the inlined function */
	FAKE_CALL_OF_ITSELF, /* with such a point; outer() is inlined into itself */
	FAKE_CALL_UNSEEN,
	FAKE_CALL_OF_TWO, /* with a second inlined call that has the same position */
	FAKE_CALL_ALSO_MADE, /* with a call that is not inlined and has the same position */
};
u64 fake_inlined_call(struct fake_v8 *v, const struct fake_world *w, enum fake_call how);

/*
 * Maglev's code of outer() by V8 13.6, with inner() inlined, and with wrong
 * positions:
 *
 *	 0  call		point 1: outer, line 2; returns to 8, or 60
 *	16  jo 56		point 0, in inner, line 2, which outer calls on line 4
 *	24  jo 41		to deferred code
 *	    call		point 2: inner, line 4, called on line 4; returns to 36, or 64
 *	40  ret
 *	41  call		deferred code, point 1: outer, line 2; returns to 46
 *	46  jmp 30; int3
 *	56  exits of the points, 4 bytes each
 *
 * According to the position table, outer calls inner on line 2, and the code from offset 38 on is
 * on line 4.
 */
u64 fake_deferred_code(struct fake_v8 *v, const struct fake_world *w);

/*
 * Optimized code of outer(), all of it in the inlined inner(): @n_checks checks, which jump to
 * @n_exits exits in turn. At each exit, outer() is at another bytecode, on line 4.
 */
#define FAKE_MAX_EXITS 600
u64 fake_checks(struct fake_v8 *v, const struct fake_world *w, u32 n_checks, u32 n_exits);

/*
 * TurboFan's code of outer(), with inner() inlined, and with deoptimization exits.
 * @is_cleared: V8 has cleared the data that the code was compiled with.
 *
 *	 8  call		returns to 13, or after deoptimization to its exit, 56
 *	16  jo 44		in inner, line 4, which outer calls at line 2
 *	22  jo 48		in outer, line 2
 *	28  jo 48		in outer, line 4
 *	34  jo 52		in outer, line 4
 *	44  the exits, four bytes each
 */
u64 fake_deopt_exits(struct fake_v8 *v, const struct fake_world *w, bool is_cleared);

/* A JavaScript frame with word @b in the slot of the bytecode offset. */
struct uw_frame fake_js(u64 pc, u64 sfi, u64 b, u64 bytecode, u8 flags);
u64 fake_offset_slot(int offset);
