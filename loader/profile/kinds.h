/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The words of the profile: kinds of frames, activities, runtimes, and what a
 * status makes of a stack. The writer prints them, the reader looks them up.
 */

#include "profile_types.h"

/* Who unwound a frame: the keys of the summary's "unwound_by". */
enum prof_runtime {
	PROF_RT_V8,
	PROF_RT_DOTNET,
	PROF_RT_JIT,
	PROF_RT_NATIVE,
	PROF_RT_KERNEL,
	PROF_N_RUNTIMES
};

/* The "status" of a stack. */
enum prof_status { PROF_COMPLETE, PROF_TRUNCATED, PROF_FAILED, PROF_N_STATUSES };

/* NULL for a value outside of its list. */
const char *prof_kind_name(enum prof_kind kind);
const char *prof_activity_name(enum prof_activity activity);
const char *prof_runtime_name(enum prof_runtime runtime);
const char *prof_status_name(enum prof_status status);

/* The value of a word, or the list's PROF_N_... */
enum prof_kind prof_kind_from_name(const char *name);
enum prof_activity prof_activity_from_name(const char *name);
enum prof_status prof_status_from_name(const char *name);

/* The runtime that a frame counts for. */
enum prof_runtime prof_runtime_of_kind(enum prof_kind kind);

/* What a process does whose leaf is of this kind, unless the recorder knows better. */
enum prof_activity prof_activity_of_kind(enum prof_kind kind);

/* The words of UW_STATUS_LIST. */
const char *prof_reason_words(enum uw_status status);

/* PROF_N_STATUSES when @status can't be a stack's. */
enum prof_status prof_status_of_walk(enum uw_status status);
