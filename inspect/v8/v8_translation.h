/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Decoders of deoptimization data. A translation describes the frames that the interpreter would
 * have at a deoptimization point of optimized code; a safepoint has the deoptimization point of a
 * return address. The decoders never read beyond the end of the given bytes.
 */

#include "../../core/types.h"

/* The encoding of translations and safepoints. */
enum v8_deopt_form {
	V8_DEOPT_UNKNOWN,
	V8_DEOPT_8_4,
	V8_DEOPT_12_9, /* the safepoints are those of Maglev's code */
	V8_DEOPT_13_6, /* the safepoints are those of Maglev's code */
};

/* A function of a translation. */
struct v8_translated {
	s32 literal; /* index of the function's SharedFunctionInfo */
	s32 offset; /* offset of the bytecode being executed, or V8_FUNCTION_ENTRY */
	bool is_builtin; /* the function resumes in a builtin, so @offset has no meaning */
	bool is_among_stubs; /* the translation also has frames of other kinds */
};

/**
 * v8_translation_read() - read the functions of one translation
 * @bytes:	all translations of a function's code
 * @at:		offset of the translation
 * @frames:	outermost first
 * @max:	room in @frames
 * @len:	number of bytes decoded, including those of the basis
 *
 * Return: the number of functions (>= 1), -EINVAL (truncated or crafted) or -E2BIG.
 */
int v8_translation_read(const u8 *bytes, size_t n, u32 at, enum v8_deopt_form form,
			struct v8_translated *frames, int max, u32 *len);

struct v8_safepoints {
	const u8 *entries;
	u32 n, stride;
	u32 pc_len, idx_len; /* length of a number in an entry */
	bool is_biased; /* the stored number is the index + 1 */
};

/*
 * Reads a table's header. Returns 0, or -EINVAL if there is no table, or if the table is longer
 * than @n bytes.
 */
int v8_safepoints_of(const u8 *bytes, size_t n, enum v8_deopt_form form, struct v8_safepoints *t);

#define V8_NO_POINT (-1)
#define V8_NO_EXIT (-1)

/* The safepoint of a call. */
struct v8_safepoint {
	u32 pc; /* offset in the code of the return address */
	s32 point; /* the call's deoptimization point, or V8_NO_POINT */
	s32 exit; /* offset of the point's exit, or V8_NO_EXIT */
};

struct v8_safepoint v8_safepoint_get(const struct v8_safepoints *t, u32 i);
