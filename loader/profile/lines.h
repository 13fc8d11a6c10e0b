/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The profile's lines, key by key, but for samples (kept.h) and the summary
 * (profile_counts.h). json_line_write() is left to the caller.
 */

#include "json_line.h"

void line_header(struct json_line *l, const struct prof_header *h);
void line_process(struct json_line *l, const struct prof_process *proc);
void line_thread(struct json_line *l, u32 pid, u32 tid, const char *name);
void line_frame(struct json_line *l, const struct prof_frame *f, u32 id);

/* The status must be a stack's. */
void line_stack(struct json_line *l, const struct prof_stack *s, u32 id);
