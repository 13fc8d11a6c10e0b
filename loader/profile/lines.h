/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Builds the profile's lines, except for samples (kept.h) and the summary
 * (profile_counts.h). The caller calls json_line_write().
 */

#include "json_line.h"

void line_header(struct json_line *l, const struct prof_header *h);
void line_process(struct json_line *l, const struct prof_process *proc);
void line_thread(struct json_line *l, u32 pid, u32 tid, const char *name);
void line_frame(struct json_line *l, const struct prof_frame *f, u32 id);

/* @status must be one that a stack can have. */
void line_stack(struct json_line *l, const struct prof_stack *s, u32 id);
