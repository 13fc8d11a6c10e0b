/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile.h"

/**
 * frame_name() - what to call a frame where people read it
 * @with_off:	tell unnamed frames of one module apart
 *
 *	named                  the name
 *	unnamed, of a module   libz.so.1+0x1234, or [libz.so.1] without @with_off
 *	else                   [js 0x55d0], [js], [js: function unreadable]
 *
 * Nothing is escaped.
 *
 * Return: to be freed, NULL without memory.
 */
char *frame_name(const struct prof_frame *f, bool with_off);
