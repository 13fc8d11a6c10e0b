/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Parts of a profile that some output formats cannot hold. */

#include "record.h"

enum prof_feature {
	PROF_FEATURE_TIMES, /* times of samples */
	PROF_FEATURE_THREADS, /* samples of several threads */
	PROF_FEATURE_REASONS, /* why stacks are incomplete */
	PROF_FEATURE_GUESSES,
	PROF_FEATURE_LOST, /* the number of lost samples */
	PROF_FEATURE_ACTIVITIES, /* activities that the leaf frame does not imply */
	PROF_FEATURE_LINES, /* executed lines */
	PROF_FEATURE_TIERS,
	PROF_FEATURE_INLINED,
	PROF_FEATURE_BUILD_IDS,
	PROF_N_FEATURES
};

/* A set of features: bit i is the feature with number i. */
#define PROF_FEATURE(name) (1u << PROF_FEATURE_##name)
#define PROF_ALL_FEATURES ((1u << PROF_N_FEATURES) - 1)

/* Words for a list of features: "times", "reasons", ... */
const char *prof_feature_words(enum prof_feature feature);

/* The features of the lines read so far. A zeroed struct is valid. */
struct prof_features {
	u32 set;
	bool has_thread;
	u32 pid, tid; /* of the first samples */
};

/* Adds the features of a line. */
void prof_features_add(struct prof_features *f, const struct prof_record *record);
