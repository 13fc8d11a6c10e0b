/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "profile.h"

/**
 * frame_name() - make the name of a frame for display
 * @with_off:	distinguish frames without a name and without a start by their offset
 *
 *	named                  the name
 *	unnamed, of a module   libz.so.1+0x1234 with the start of the function; if the start is
 *	                       unknown, libz.so.1+0x1278 with the offset, or [libz.so.1] without
 *	                       @with_off
 *	otherwise              [jit 0x55d0], [js], [js: function unreadable]
 *
 * The result is not escaped.
 *
 * Return: a string that the caller frees; NULL if out of memory.
 */
char *frame_name(const struct prof_frame *f, bool with_off);
