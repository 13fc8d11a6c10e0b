/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Translates the state of call frame information to a rule, if it has a known form. */

#include "../../core/native/row.h"
#include "cfi_program.h"

bool cfi_reg_is_saved(u64 reg);

/* Returns false and sets @rule to rule 0 if no rule can express the state. */
bool cfi_rule_from(const struct cfi_regs *regs, const struct cfi_cie *cie,
		   const struct cfi_state *s, struct uw_rule *rule);
