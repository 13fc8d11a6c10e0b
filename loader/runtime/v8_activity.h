/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../profile/profile.h"

/**
 * activity_of_v8() - what V8 does while a function of its own runs
 * @name:	readable name of a native function, or NULL
 *
 * Return: PROF_ACT_GC, PROF_ACT_COMPILE, or PROF_ACT_NATIVE: this function tells nothing.
 */
enum prof_activity activity_of_v8(const char *name);
