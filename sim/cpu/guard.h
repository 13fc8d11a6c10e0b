/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unicorn calls abort() when its translator meets what it did not expect: 2.0.1 does
 * for a far jump to a register (ff e8) and, as it translates ahead, wherever that lies
 * in code. Here this is an error like others.
 */

#include <unicorn/unicorn.h>

#include "../../core/types.h"

/**
 * cpu_guard_start() - uc_emu_start(), but it always returns
 * @out:	its result
 *
 * Takes SIGABRT for as long as it runs. One thread at a time.
 *
 * Return: 0, or -ENOTSUP when it aborted: of @uc only uc_close() is left.
 */
int cpu_guard_start(uc_engine *uc, u64 begin, u64 until, uc_err *out);

/* Round what is not Unicorn's within its hooks: whose abort() is nobody else's. */
void cpu_guard_pause(void);
void cpu_guard_resume(void);
