/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#pragma once

/* No additional output. bpf/port-capture has the same symbols. */

#include "../driver.h"

/* Called before a walk starts from the slot's registers. */
UW_INLINE void uw_log_begin(const struct uw_slot *s)
{
	(void)s;
}

/* Called after the walk. False: don't send the sample. */
UW_INLINE bool uw_log_send(const struct uw_slot *s)
{
	(void)s;
	return true;
}
