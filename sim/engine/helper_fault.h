/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/uw_state.h"

/**
 * helper_fault() - one page fault of an instruction, with a target's registers
 * @regs:	pc lies in memory that is not executable, or not there at all
 *
 * Return: 0 or a negative errno.
 */
int helper_fault(const struct uw_regs *regs);
