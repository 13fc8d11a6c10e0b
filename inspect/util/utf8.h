/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * UTF-8 from hostile places. Names come out of other processes' memory and out
 * of files, so nothing about them is sure.
 */

#include "../../core/types.h"

#define UTF8_REPLACEMENT 0xfffdu
#define UTF8_MAX_LEN 4

/**
 * utf8_decode() - take one code point off the front
 * @s:		bytes
 * @len:	how many, at least 1
 * @cp:		the code point, or UTF8_REPLACEMENT for what is no UTF-8
 *
 * Overlong forms, surrogates and values above U+10FFFF are no UTF-8. A broken
 * sequence is replaced up to where it broke, as the Unicode standard advises
 * (15.0, section 3.9, "substitution of maximal subparts").
 *
 * Return: bytes consumed, 1 to 4.
 */
size_t utf8_decode(const char *s, size_t len, u32 *cp);

/**
 * utf8_put() - write one code point
 * @cp:		a code point that utf8_decode() gave
 * @out:	room for UTF8_MAX_LEN bytes
 *
 * Return: bytes written, 1 to 4.
 */
size_t utf8_put(u32 cp, char *out);

/**
 * utf8_is_control() - would this character do something to a terminal or a line?
 *
 * True for the C0 and C1 controls and DEL, for line and paragraph separators and
 * for what sets the direction of text (Unicode's Bidi_Control property).
 */
bool utf8_is_control(u32 cp);
