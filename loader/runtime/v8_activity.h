/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../profile/profile.h"

/**
 * activity_of_v8() - the activity of V8 while one of its functions runs
 * @name:	readable name of a native function, or NULL
 *
 * Return: PROF_ACT_GC, PROF_ACT_COMPILE, or PROF_ACT_NATIVE if the activity is not known from the
 *         name.
 */
enum prof_activity activity_of_v8(const char *name);
