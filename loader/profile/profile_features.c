/* SPDX-License-Identifier: BSD-2-Clause */
#include "profile_features.h"

static const char *const words[PROF_N_FEATURES] = {
	[PROF_FEATURE_TIMES] = "times",
	[PROF_FEATURE_THREADS] = "threads",
	[PROF_FEATURE_REASONS] = "reasons of incomplete stacks",
	[PROF_FEATURE_GUESSES] = "guesses",
	[PROF_FEATURE_LOST] = "lost samples",
	[PROF_FEATURE_ACTIVITIES] = "activities",
	[PROF_FEATURE_LINES] = "executed lines",
	[PROF_FEATURE_TIERS] = "tiers",
	[PROF_FEATURE_INLINED] = "inlining",
	[PROF_FEATURE_BUILD_IDS] = "build ids",
};

const char *prof_feature_words(enum prof_feature feature)
{
	return words[feature];
}

static u32 bit(enum prof_feature feature, bool is_set)
{
	return is_set ? 1u << feature : 0;
}

static u32 of_frame(const struct prof_frame *f)
{
	return bit(PROF_FEATURE_GUESSES, f->guess) | bit(PROF_FEATURE_LINES, f->line) |
	       bit(PROF_FEATURE_TIERS, f->tier) | bit(PROF_FEATURE_INLINED, f->inlined) |
	       bit(PROF_FEATURE_BUILD_IDS, f->build_id);
}

static u32 of_samples(struct prof_features *f, const struct prof_record *r)
{
	bool is_other = f->has_thread && (f->pid != r->samples.pid || f->tid != r->samples.tid);

	if (!f->has_thread)
		*f = (struct prof_features){ f->set, true, r->samples.pid, r->samples.tid };
	return bit(PROF_FEATURE_TIMES, r->samples.last_t_us) | bit(PROF_FEATURE_THREADS, is_other) |
	       bit(PROF_FEATURE_ACTIVITIES, r->samples.activity != PROF_N_ACTIVITIES);
}

void prof_features_add(struct prof_features *f, const struct prof_record *record)
{
	switch (record->type) {
	case PROF_REC_FRAME:
		f->set |= of_frame(&record->frame.frame);
		break;
	case PROF_REC_STACK:
		f->set |= bit(PROF_FEATURE_REASONS, record->stack.status != PROF_COMPLETE);
		break;
	case PROF_REC_SAMPLES:
		f->set |= of_samples(f, record);
		break;
	case PROF_REC_SUMMARY:
		f->set |= bit(PROF_FEATURE_LOST, record->summary.lost);
		break;
	default:
		break;
	}
}
