/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/* In this build, walks may use cached data. bpf/port-capture defines the same symbol. */
UW_INLINE bool uw_log_is_all(void)
{
	return false;
}
