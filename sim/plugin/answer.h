/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * What a plugin says of a stack, and what that is worth. docs/guides/plugins.md has the format
 * and the judgement.
 */

#include "../case/case.h"

#define PLUGIN_MAX_FRAMES 8192 /* more than an executed case can have */
#define PLUGIN_REASON_LEN 80

/* The profile's words for the status of a stack. */
enum plugin_status { PLUGIN_COMPLETE, PLUGIN_TRUNCATED, PLUGIN_FAILED, PLUGIN_N_STATUS };

extern const char *const plugin_status_words[PLUGIN_N_STATUS];

struct plugin_answer {
	enum plugin_status status;
	char reason[PLUGIN_REASON_LEN]; /* safe to print; empty: none was given */
	u32 n;
	u64 pcs[PLUGIN_MAX_FRAMES]; /* leaf first */
};

/**
 * plugin_answer_parse() - read what a plugin printed
 * @text:	@len bytes of anything
 * @out:	large; also written on failure
 * @why:	what is wrong, one line that is safe to print
 *
 * Return: 0 or -EBADMSG with @why set.
 */
int plugin_answer_parse(const char *text, size_t len, struct plugin_answer *out, char *why,
			size_t why_len);

enum plugin_verdict {
	PLUGIN_EXACT, /* all true frames and nothing else */
	PLUGIN_ACCEPTABLE, /* true frames from the leaf on, not all, and it says so */
	PLUGIN_WRONG, /* an untrue frame, one left out, or fewer than it claims */
	PLUGIN_N_VERDICTS
};

extern const char *const plugin_verdict_words[PLUGIN_N_VERDICTS];

/**
 * plugin_judge() - compare an answer with the truth
 * @is_whole:	@truth ends with the outermost frame; false: nobody can know what comes
 *		behind it, and who claims to is wrong
 */
enum plugin_verdict plugin_judge(const struct plugin_answer *answer, const struct sim_truth *truth,
				 bool is_whole);
