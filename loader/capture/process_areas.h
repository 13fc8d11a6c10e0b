/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "../../inspect/case/areas.h"

/**
 * areas_read() - read the mappings of a process from /proc/PID/maps; call it just after
 * the walk
 * @sp:		stack pointer; the mapping that contains it is the stack
 * @a:		free with areas_deinit(), also after an error
 *
 * Return: 0, -ESRCH, -EACCES, -E2BIG, -ENOMEM.
 */
int areas_read(struct areas *a, u32 pid, u64 sp);
