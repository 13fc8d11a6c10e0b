/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * UTF-8 from hostile sources: names come from other processes' memory and from files, so
 * they can contain any bytes.
 */

#include "../../core/types.h"

#define UTF8_REPLACEMENT 0xfffdu
#define UTF8_MAX_LEN 4

/**
 * utf8_decode() - decode the first code point
 * @s:		bytes
 * @len:	number of bytes, at least 1
 * @cp:		the code point, or UTF8_REPLACEMENT for invalid bytes
 *
 * Overlong forms, surrogates and values above U+10FFFF are invalid. A broken
 * sequence is replaced up to the byte that breaks it, as the Unicode standard
 * advises (15.0, section 3.9, "substitution of maximal subparts").
 *
 * Return: bytes consumed, 1 to 4.
 */
size_t utf8_decode(const char *s, size_t len, u32 *cp);

/**
 * utf8_put() - encode one code point
 * @cp:		from utf8_decode()
 * @out:	room for UTF8_MAX_LEN bytes
 *
 * Return: bytes written, 1 to 4.
 */
size_t utf8_put(u32 cp, char *out);

/**
 * utf8_is_control() - check whether a character affects a terminal or ends a line
 *
 * True for the C0 and C1 controls and DEL, for line and paragraph separators and for
 * characters that set the direction of text (Unicode's Bidi_Control property).
 */
bool utf8_is_control(u32 cp);
