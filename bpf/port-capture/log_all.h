/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/*
 * A case must contain all that a walk without prior knowledge would read, and the walk must not
 * use data that the case does not contain: neither cached rules nor files that are in no table.
 */
UW_INLINE bool uw_log_is_all(void)
{
	return true;
}
