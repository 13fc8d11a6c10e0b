/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* Builds without a log. bpf/port-capture defines the same symbols. */

#include "../driver.h"

/* The program calls this before a walk, which starts from the slot's registers. */
UW_INLINE void uw_log_begin(const struct uw_slot *s)
{
	(void)s;
}

/* The program calls this after the walk. Returns false if the caller must not send the sample. */
UW_INLINE bool uw_log_send(const struct uw_slot *s)
{
	(void)s;
	return true;
}
