/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names of interpreted functions; all fill one name and return 1. Private to inspect/v8. */

#include "v8_source.h"

/* By the offset in its frame. */
int v8_name_interpreted(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
			struct v8_function *f, struct v8_name *names);

/*
 * The same in a bytecode handler @b (NULL: unknown), whose frame @inner is @frame or its own.
 */
int v8_name_in_handler(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		       const struct uw_frame *inner, struct v8_function *f,
		       const struct v8_builtin *b, struct v8_name *names);

/* Frees cached places of handlers. */
void v8_forget_handlers(struct v8_heap *h);

/*
 * The function that called the builtin which builds the frame of baseline code, before the frame
 * exists. The interpreter's register for the BytecodeArray has that of the function.
 */
int v8_name_entering(struct v8_heap *h, const struct uw_sample *s, struct v8_name *names);

/*
 * Sets the line of @name, if @b is a builtin that enters or leaves baseline code on the frame of
 * the function.
 */
void v8_locate_at_edge(struct v8_heap *h, struct v8_function *f, const struct v8_builtin *b,
		       struct v8_name *name);

/* An awaiter, at the position of its await. */
int v8_name_waiting(struct v8_heap *h, const struct uw_frame *frame, struct v8_function *f,
		    struct v8_name *names);
