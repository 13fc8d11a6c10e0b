// SPDX-License-Identifier: BSD-2-Clause

#include "answer.h"

#include "../../inspect/util/json_memory.h"
#include "../../inspect/util/term.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

const char *const plugin_status_words[PLUGIN_N_STATUS] = {
	[PLUGIN_COMPLETE] = "complete",
	[PLUGIN_TRUNCATED] = "truncated",
	[PLUGIN_FAILED] = "failed",
};

const char *const plugin_verdict_words[PLUGIN_N_VERDICTS] = {
	[PLUGIN_EXACT] = "exact",
	[PLUGIN_ACCEPTABLE] = "acceptable",
	[PLUGIN_WRONG] = "wrong",
};

/* Parses a pc, which must be "0x" and up to 16 digits. */
static bool parse_pc(const char *text, u64 *out)
{
	size_t n = 0;
	u64 pc = 0;

	if (strncmp(text, "0x", 2) != 0)
		return false;
	for (text += 2; text[n]; n++) {
		const char *digits = "0123456789abcdefABCDEF", *d = strchr(digits, text[n]);

		if (!d || n == 16)
			return false;
		pc = pc << 4 | (u64)(d - digits >= 16 ? d - digits - 6 : d - digits);
	}
	if (!n)
		return false;
	*out = pc;
	return true;
}

static int parse_frames(const json_t *frames, struct plugin_answer *out, char *why, size_t why_len)
{
	size_t i;
	json_t *frame;

	if (json_array_size(frames) > PLUGIN_MAX_FRAMES) {
		snprintf(why, why_len, "the answer has %zu frames; the limit is %u",
			 json_array_size(frames), PLUGIN_MAX_FRAMES);
		return -EBADMSG;
	}
	json_array_foreach(frames, i, frame)
	{
		const char *pc = json_string_value(json_object_get(frame, "pc"));

		if (!pc || !parse_pc(pc, &out->pcs[i])) {
			snprintf(why, why_len,
				 "frame %zu: \"pc\" must be a string like \"0x401a2c\"", i);
			return -EBADMSG;
		}
	}
	out->n = (u32)json_array_size(frames);
	return 0;
}

static int parse_status(const json_t *status, struct plugin_answer *out, char *why, size_t why_len)
{
	const char *word = json_string_value(status);

	out->status = PLUGIN_COMPLETE;
	if (!status)
		return 0;
	for (u32 i = 0; word && i < PLUGIN_N_STATUS; i++)
		if (!strcmp(word, plugin_status_words[i])) {
			out->status = i;
			return 0;
		}
	snprintf(why, why_len, "\"status\" must be complete, truncated or failed");
	return -EBADMSG;
}

static int parse_root(const json_t *root, struct plugin_answer *out, char *why, size_t why_len)
{
	const json_t *frames = json_is_array(root) ? root : json_object_get(root, "frames");
	const char *reason = json_string_value(json_object_get(root, "reason"));
	int err;

	if (!json_is_array(frames)) {
		snprintf(why, why_len, "the JSON lacks the array \"frames\"");
		return -EBADMSG;
	}
	err = parse_status(json_object_get(root, "status"), out, why, why_len);
	if (!err)
		err = parse_frames(frames, out, why, why_len);
	term_escape(reason ? reason : "", out->reason, sizeof(out->reason));
	return err;
}

int plugin_answer_parse(const char *text, size_t len, struct plugin_answer *out, char *why,
			size_t why_len)
{
	char safe[JSON_ERROR_TEXT_LENGTH];
	json_error_t error;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	int err = -EBADMSG;

	out->n = 0;
	if (json_memory_failed())
		snprintf(why, why_len, "the program printed more than fits into memory");
	else if (root)
		err = parse_root(root, out, why, why_len);
	else if (!len)
		snprintf(why, why_len, "the program printed nothing");
	else
		snprintf(why, why_len, "the program printed invalid JSON: line %d: %s", error.line,
			 term_escape(error.text, safe, sizeof(safe)));
	json_decref(root);
	return err;
}

enum plugin_verdict plugin_judge(const struct plugin_answer *answer, const struct sim_truth *truth,
				 bool is_whole)
{
	bool claims_all = answer->status == PLUGIN_COMPLETE;

	if (answer->n > truth->n || (claims_all && !is_whole) ||
	    memcmp(answer->pcs, truth->pcs, answer->n * sizeof(u64)) != 0)
		return PLUGIN_WRONG;
	if (answer->n == truth->n)
		return PLUGIN_EXACT;
	return claims_all ? PLUGIN_WRONG : PLUGIN_ACCEPTABLE;
}
