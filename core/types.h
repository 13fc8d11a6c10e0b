/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The fixed-width types of the core. They are spelled out here because the core
 * is compiled where neither libc nor a kernel header exists; stddef.h and
 * stdbool.h belong to every freestanding compiler.
 */

#include <stdbool.h>
#include <stddef.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

_Static_assert(sizeof(u32) == 4 && sizeof(u64) == 8, "LP64 or BPF");

/* Inlined, because the verifier handles inlined code best and a guest's stack is small. */
#define UW_INLINE static inline __attribute__((always_inline))

/* Reads words at any alignment, which costs nothing on the supported machines. */
#define UW_UNALIGNED __attribute__((no_sanitize("alignment")))
