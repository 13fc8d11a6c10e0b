/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names of interpreted functions; all fill one name and return 1. Private to inspect/v8. */

#include "v8_source.h"

/* By its frame. */
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

/*
 * A builtin enters or leaves baseline code on the function's own frame, and has its return
 * address nowhere while it does: gives @name the line, if @b is such a builtin.
 */
void v8_locate_at_edge(struct v8_heap *h, struct v8_function *f, const struct v8_builtin *b,
		       struct v8_name *name);

/* A function that waits, where it was when it began to. */
int v8_name_waiting(struct v8_heap *h, const struct uw_frame *frame, struct v8_function *f,
		    struct v8_name *names);
