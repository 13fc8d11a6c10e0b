/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names frames without a function. Private to inspect/v8. */

#include "v8_function.h"

/* Returns the text of an enum uw_status. */
const char *v8_status_words(u8 status);

/* If the frame is that of a regular expression, fills one name and returns true. */
bool v8_name_regexp(struct v8_heap *h, const struct uw_frame *frame, struct v8_name *names);

/*
 * Names code without a function or a frame, which is a copy of the interpreter's entry. Fills one
 * name.
 */
int v8_name_shared(struct v8_heap *h, const struct uw_frame *frame, struct v8_name *names);

/*
 * Names a frame with a marker. Fills one name, or two: a copy of the entry and the copy's caller.
 */
int v8_name_stub(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		 struct v8_name *names);
