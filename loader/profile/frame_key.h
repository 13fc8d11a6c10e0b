/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "json_line.h"

#define FRAME_KEY_NUMBERS 8
#define FRAME_KEY_STRINGS 7
/* A string has two bytes besides its text, which is at most JSON_STRING_CAP + 1 bytes long. */
#define FRAME_KEY_MAX                                                                              \
	(FRAME_KEY_NUMBERS * sizeof(u64) + FRAME_KEY_STRINGS * (JSON_STRING_CAP + 3ul))

/*
 * Writes the bytes of all fields of a frame, so that equal frames have equal keys. @key:
 * FRAME_KEY_MAX bytes. Return: the length of the key.
 */
size_t frame_key(u8 *key, const struct prof_frame *f);
