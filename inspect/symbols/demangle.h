/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/**
 * demangle() - demangle a C++ or Rust symbol
 * @mangled:	symbol as in a string table; hostile
 * @dst:	receives the readable form, or else a copy of @mangled; at least one byte
 * @len:	size of @dst
 *
 * A mangled name of a few hundred bytes can stand for gigabytes of text. If the readable form does
 * not fit into @dst, @mangled is copied, truncated to @len - 1 bytes.
 */
void demangle(const char *mangled, char *dst, size_t len);
