/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Opens Unicorn instances so that several can exist in one process.
 *
 * On arm64 hosts, Unicorn before 2.1.2 keeps the end of its prologue in a static variable of each
 * guest architecture (tb_ret_addr in qemu/tcg/aarch64/tcg-target.inc.c at 2.0.1). Therefore code
 * that one instance has translated returns through the prologue of the instance that was opened
 * last, and crashes if that instance has been closed. So on every host:
 *
 *	When an instance of an architecture is opened, the older instances of this architecture
 *	must not run any more; the owner of an older instance must close it and open a new one.
 */

#include "../../core/types.h"

#include <unicorn/unicorn.h>

/**
 * sim_uc_open() - call uc_open() and count the instance
 * @arch:	guest architecture
 * @mode:	its mode
 * @out:	the new instance; close it with uc_close()
 *
 * Return: UC_ERR_OK or the error of uc_open().
 */
uc_err sim_uc_open(uc_arch arch, uc_mode mode, uc_engine **out);

/**
 * sim_uc_n_opened() - get the number of instances of an architecture opened so far
 * @arch:	guest architecture
 */
u32 sim_uc_n_opened(uc_arch arch);
