/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../core/uw_state.h"

/**
 * helper_fault() - cause a page fault at one instruction, while the registers
 * are those of a target
 * @regs:	pc must be in memory that is not executable or not mapped
 *
 * Return: 0 or a negative errno.
 */
int helper_fault(const struct uw_regs *regs);
