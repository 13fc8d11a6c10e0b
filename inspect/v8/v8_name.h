/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Parts of v8_name.c; all fill one name and return 1, but where it says otherwise. */

#include "v8_heap.h"

#define V8_MISFIT "V8's heap is not laid out as expected"

/* @f's name and file, without a line. */
void v8_name_function(const struct v8_function *f, struct v8_name *name);

/* Why something is missing; the first reason stays. */
int v8_give_reason(struct v8_name *name, const char *reason);

/* The line and column of @pos, an offset in @f's script; negative: not known. */
void v8_locate(struct v8_heap *h, struct v8_function *f, s32 pos, struct v8_name *name);

/*
 * What runs at @pc of @f's code, inlined functions first. Returns -ENOENT if there is no code at
 * @pc, -ESTALE if it is another function's, else the number of names, V8_MAX_NAMES at most.
 */
int v8_name_compiled(struct v8_heap *h, const struct uw_sample *s, struct v8_function *f, u64 pc,
		     struct v8_name *names);

/* @f, whose @code was left, or is given up, where it does not tell. */
int v8_name_given_up(const struct v8_function *f, const struct v8_code *code,
		     struct v8_name *names);

/* An interpreted function, by its frame. */
int v8_name_interpreted(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			struct v8_function *f, struct v8_name *names);

/*
 * The same, in a bytecode handler, @b (NULL: not known which one), at @inner, which is @frame or
 * the handler's own.
 */
int v8_name_in_handler(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		       const struct uw_frame *inner, struct v8_function *f,
		       const struct v8_builtin *b, struct v8_name *names);

/* Frees what is kept of handlers. */
void v8_forget_handlers(struct v8_heap *h);

/*
 * Who called the builtin that makes the frame of baseline code, and has not yet: the register
 * that the interpreter has its BytecodeArray in has the function's.
 */
int v8_name_entering(struct v8_heap *h, const struct uw_sample *s, struct v8_name *names);
