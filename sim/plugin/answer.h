/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A plug-in's answer for a stack, and the verdict on the answer. docs/guides/plugins.md describes
 * the format and the verdicts.
 */

#include "../case/case.h"

#define PLUGIN_MAX_FRAMES 8192 /* greater than the depth of any executed case */
#define PLUGIN_REASON_LEN 80

/* The status of a stack. The names are the same as in profiles. */
enum plugin_status { PLUGIN_COMPLETE, PLUGIN_TRUNCATED, PLUGIN_FAILED, PLUGIN_N_STATUS };

extern const char *const plugin_status_words[PLUGIN_N_STATUS];

struct plugin_answer {
	enum plugin_status status;
	char reason[PLUGIN_REASON_LEN]; /* safe to print; empty: the answer has none */
	u32 n;
	u64 pcs[PLUGIN_MAX_FRAMES]; /* leaf first */
};

/**
 * plugin_answer_parse() - parse the output of a plug-in
 * @text:	@len bytes, hostile
 * @out:	large, so reuse it; also written on failure
 * @why:	set to the error, one line that is safe to print
 *
 * Return: 0 or -EBADMSG with @why set.
 */
int plugin_answer_parse(const char *text, size_t len, struct plugin_answer *out, char *why,
			size_t why_len);

enum plugin_verdict {
	PLUGIN_EXACT, /* all true frames and no other frames */
	PLUGIN_ACCEPTABLE, /* the first true frames from the leaf on, but not all, and the answer
			    * does not declare itself complete */
	PLUGIN_WRONG, /* the answer has a false frame, lacks a frame in between, or declares itself
		       * complete although frames are missing */
	PLUGIN_N_VERDICTS
};

extern const char *const plugin_verdict_words[PLUGIN_N_VERDICTS];

/**
 * plugin_judge() - compare an answer with the true stack
 * @is_whole:	@truth ends with the outermost frame; false: further callers are unknown, so an
 *		answer that declares itself complete is wrong
 */
enum plugin_verdict plugin_judge(const struct plugin_answer *answer, const struct sim_truth *truth,
				 bool is_whole);
