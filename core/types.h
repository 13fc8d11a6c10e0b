/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/*
 * The fixed-width types of the core. They are defined here because the core is
 * also compiled where neither libc nor a kernel header exists; every
 * freestanding compiler provides stddef.h and stdbool.h.
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

/*
 * Every function of the core is inlined, because the BPF verifier handles inlined code best and the
 * stack of a simulated guest is small.
 */
#define UW_INLINE static inline __attribute__((always_inline))

/*
 * Marks functions that read words at any alignment; unaligned reads cost nothing on the supported
 * machines.
 */
#define UW_UNALIGNED __attribute__((no_sanitize("alignment")))
