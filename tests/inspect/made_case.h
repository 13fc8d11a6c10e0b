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
 * Byte n of the stack has the value n. In the case, the first 64 bytes of the stack were read by
 * the walk and the next 64 were copied. 128 bytes of code are at another address, and a page after
 * the stack faults.
 *
 *
 * Return: a case owned by this function, the same at each call.
 */
const struct case_file *made_case(enum case_arch arch);
