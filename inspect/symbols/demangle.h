/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <stddef.h>

/**
 * demangle() - demangle a C++ or Rust symbol
 * @mangled:	symbol as in a string table; hostile
 * @dst:	at least one byte; the readable form, else a copy of @mangled
 * @len:	size of @dst
 *
 * A few hundred bytes of mangled name can stand for gigabytes of text. If the readable form
 * does not fit into @dst, @mangled is copied, truncated to @len - 1 bytes.
 */
void demangle(const char *mangled, char *dst, size_t len);
