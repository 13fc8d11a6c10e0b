/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Names of frames without a function. Private to inspect/v8. */

#include "v8_function.h"

/* The text of an enum uw_status. */
const char *v8_status_words(u8 status);

/* If the frame is of a regular expression, fills one name and returns true. */
bool v8_name_regexp(struct v8_heap *h, const struct uw_frame *frame, struct v8_name *names);

/* Names code without a function or a frame, a copy of the interpreter's entry. Fills one name. */
int v8_name_shared(struct v8_heap *h, const struct uw_frame *frame, struct v8_name *names);

/* Names a frame with a marker. Fills one name, or two: a copy of the entry, and its caller. */
int v8_name_stub(struct v8_heap *h, const struct uw_sample *s, const struct uw_frame *frame,
		 struct v8_name *names);
