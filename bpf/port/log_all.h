/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

#include "../../core/types.h"

/* Walks may use cached data. bpf/port-capture has the same symbol. */
UW_INLINE bool uw_log_is_all(void)
{
	return false;
}
