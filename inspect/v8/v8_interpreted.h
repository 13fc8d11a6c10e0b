/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Names interpreted functions. Each of these functions fills one name and returns 1. Private to
 * inspect/v8.
 */

#include "v8_source.h"

/* Names a function by the bytecode offset in its frame. */
int v8_name_interpreted(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			struct v8_function *f, struct v8_name *names);

/*
 * Names the function of a bytecode handler @b (NULL: unknown). @inner: the handler's own frame, or
 * @frame if it has none.
 */
int v8_name_in_handler(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		       const struct uw_frame *inner, struct v8_function *f,
		       const struct v8_builtin *b, struct v8_name *names);

/* Frees the cached results of handler_places(). */
void v8_forget_handlers(struct v8_heap *h);

/*
 * Names the function that called the builtin which builds the frame of baseline code, before the
 * frame exists. The function's BytecodeArray is in the interpreter's register.
 */
int v8_name_entering(struct v8_heap *h, const struct uw_sample *s, struct v8_name *names);

/*
 * Sets the line of @name, if @b is a builtin that enters or leaves baseline code on the frame of
 * the function.
 */
void v8_locate_at_edge(struct v8_heap *h, struct v8_function *f, const struct v8_builtin *b,
		       struct v8_name *name);

/* Names an awaiter, with the position of the await expression. */
int v8_name_waiting(struct v8_heap *h, const struct uw_frame *frame, struct v8_function *f,
		    struct v8_name *names);
