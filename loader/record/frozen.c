// SPDX-License-Identifier: BSD-2-Clause

/*
 * Turns a walk that froze a ring of the flight recorder into a case: the memory that the walk
 * read, the tables of the walk, and the names of its frames. All of these are saved
 * immediately, before the process changes them.
 *
 *	kernel: walk freezes -> log of its reads, sample -> here -> recorder -> dump
 */

#include <stdlib.h>

#include "../capture/take.h"
#include "record.h"

void recording_take_frozen(const struct session_stack *stack, void *data)
{
	const struct take_options o = { .va_mask = sampler_va_mask() };
	static const enum fl_no_case why_not[] = { [TAKE_NO_MATCH] = FL_CASE_FAILED,
						   [TAKE_CHANGED] = FL_CASE_CHANGED,
						   [TAKE_GONE] = FL_CASE_GONE,
						   [TAKE_FAILED] = FL_CASE_FAILED };
	struct fl_case c = { .pid = stack->sample->pid, .status = stack->sample->status };
	struct recording *r = data;
	const struct uw_log *log = sampler_log(r->sampler, stack->sample);
	enum take_result result;
	struct taken t;
	size_t len = 0;
	u8 *bytes = NULL;

	if (!log)
		return;
	result = take(stack, log, &o, &t);
	if (result == TAKE_OK && case_make(&t.file, false, NULL, &bytes, &len))
		result = TAKE_FAILED;
	c.bytes = bytes;
	c.len = len;
	c.why_not = why_not[result];
	taken_deinit(&t);
	recorder_add_case(r->flight, &c);
}
