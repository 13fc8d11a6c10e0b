/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Instructions at which no row of a compiled fixture can be right, found in the code itself.
 *
 *	rows of clang for arm64   clang 14 describes functions between prologue and epilogue only:
 *	                          a row is wrong while a frame is set up or torn down, and at
 *	                          exits of a function that has no frame there.
 *	rows of instructions      The offset of sp is unknown in a function that moves it by a
 *	                          register, and at the targets of a jump table. A function that
 *	                          calls a noreturn function need not save x30.
 */

#include "../../sim/case/case.h"

/* arm64: is the frame at @pc being set up or torn down, or gone? */
bool compiled_is_edge(const struct sim_case *c, u64 pc);

/* Does the function at @pc hide its caller from an analysis of its instructions? */
bool compiled_hides_caller(const struct sim_case *c, u64 pc, bool is_caller);
