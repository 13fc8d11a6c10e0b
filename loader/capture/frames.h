/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "take.h"

/**
 * take_frames() - name the frames, and save the memory that was read to name them
 *
 * Return: 0, -ENOMSG when no name matches @o->match, or another negative errno.
 */
int take_frames(struct taken *t, const struct session_stack *stack, const struct take_options *o);
