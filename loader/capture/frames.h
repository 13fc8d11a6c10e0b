/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "take.h"

/**
 * take_frames() - name the frames, and keep what was read for it
 *
 * Return: 0, -ENOMSG when a name has to match and none does, or a negative errno.
 */
int take_frames(struct taken *t, const struct session_stack *stack, const struct take_options *o);
