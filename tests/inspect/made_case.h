/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A small case in which every field is set, for the tests of the case format. */

#include "../../inspect/case/case.h"

#define MADE_CODE 0x400000ull
#define MADE_STACK 0x7ffe00001000ull
#define MADE_FAULT 0x7ffe00003000ull
#define MADE_FILE 0x7f0000000000ull

/**
 * made_case() - return the case
 *
 * Byte n of the stack has the value n. Its first 64 bytes come from the walk, the next 64
 * from a copy; 128 bytes of code are elsewhere; a page after the stack faults.
 *
 *
 * Return: borrowed, the same each time.
 */
const struct case_file *made_case(enum case_arch arch);
