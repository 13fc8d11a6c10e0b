/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/case/areas.h"

/**
 * areas_read() - the mappings of a process, as /proc/PID/maps tells a moment after the walk
 * @sp:		the mapping that it lies in is the stack
 * @a:		ends with areas_deinit(), also after a failure
 *
 * Return: 0, -ESRCH, -EACCES, -E2BIG, -ENOMEM.
 */
int areas_read(struct areas *a, u32 pid, u64 sp);
