/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Unicorn calls abort() if its translator hits an unexpected instruction: Unicorn 2.0.1 aborts for
 * a far jump to a register (ff e8), even if the code is only translated and not executed. The guard
 * turns the call of abort() into an ordinary error.
 */

#include <unicorn/unicorn.h>

#include "../../core/types.h"

/**
 * cpu_guard_start() - call uc_emu_start(), and return even if it aborts
 * @out:	set to the result of uc_emu_start()
 *
 * Handles SIGABRT while it runs. One thread at a time.
 *
 * Return: 0, or -ENOTSUP if Unicorn aborted; after that, only uc_close() may be called on @uc.
 */
int cpu_guard_start(uc_engine *uc, u64 begin, u64 until, uc_err *out);

/* Suspend and resume the handling of SIGABRT, around callbacks within Unicorn's hooks. */
void cpu_guard_pause(void);
void cpu_guard_resume(void);
