/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The names used in profiles for kinds of frames, activities, runtimes, and statuses of
 * stacks. The writer prints them, the reader looks them up.
 */

#include "profile_types.h"

/*
 * The runtime whose unwinder found a frame. The names of these runtimes are the keys of
 * "unwound_by" in the summary.
 */
enum prof_runtime {
	PROF_RT_V8,
	PROF_RT_DOTNET,
	PROF_RT_JIT,
	PROF_RT_NATIVE,
	PROF_RT_KERNEL,
	PROF_N_RUNTIMES
};

/* The values of "status" of a stack. */
enum prof_status { PROF_COMPLETE, PROF_TRUNCATED, PROF_FAILED, PROF_N_STATUSES };

/* The name of a value; NULL for an out-of-range value. */
const char *prof_kind_name(enum prof_kind kind);
const char *prof_activity_name(enum prof_activity activity);
const char *prof_runtime_name(enum prof_runtime runtime);
const char *prof_status_name(enum prof_status status);

/* The value of a name, or PROF_N_... of the list for an unknown name. */
enum prof_kind prof_kind_from_name(const char *name);
enum prof_activity prof_activity_from_name(const char *name);
enum prof_status prof_status_from_name(const char *name);

/* The runtime whose unwinder finds the frames of this kind. */
enum prof_runtime prof_runtime_of_kind(enum prof_kind kind);

/*
 * The activity of a process whose leaf frame has this kind, unless the recorder knows a more
 * precise activity.
 */
enum prof_activity prof_activity_of_kind(enum prof_kind kind);

/* The words for a walk status, from UW_STATUS_LIST. */
const char *prof_reason_words(enum uw_status status);

/* PROF_N_STATUSES if a stack can't have @status. */
enum prof_status prof_status_of_walk(enum uw_status status);
