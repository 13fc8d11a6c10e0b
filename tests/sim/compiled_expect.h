/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Finds, by decoding the code, the instructions of compiled fixtures at which rows may be wrong.
 *
 *	rows of clang, arm64      clang 14 writes CFI only for code between prologue and epilogue,
 *	                          so a row is wrong while the frame is set up or torn down, and at
 *	                          exits of the function without a frame.
 *	rows from instructions    The offset of sp is unknown in a function that changes sp by a
 *	                          register, and at the targets of a jump table. A function that
 *	                          calls a noreturn function need not save x30.
 */

#include "../../sim/case/case.h"

/* Return: whether, on arm64, the frame at @pc is being set up or torn down, or removed. */
bool compiled_is_edge(const struct sim_case *c, u64 pc);

/* Return: whether the caller of the function at @pc can't be found by analyzing its code. */
bool compiled_hides_caller(const struct sim_case *c, u64 pc, bool is_caller);
