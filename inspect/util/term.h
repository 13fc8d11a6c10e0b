/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/**
 * term_escape() - make text from a target safe to print on a terminal
 * @in:		any bytes
 * @out:	valid UTF-8 without control or bidirectional characters; such characters become \n,
 *		\t, \xNN or \uNNNN, and a byte that is not UTF-8 becomes \xNN
 * @size:	size of @out, at least 1; longer text is truncated between characters
 *
 * Return: @out.
 */
const char *term_escape(const char *in, char *out, size_t size);
