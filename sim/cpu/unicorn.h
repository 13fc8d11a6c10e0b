/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * How the simulator opens Unicorns, so that several can live in one process.
 *
 * On arm64 hosts, Unicorn before 2.1.2 keeps the end of its prologue in a static
 * variable of each guest architecture (tb_ret_addr in qemu/tcg/aarch64/tcg-target.inc.c
 * at 2.0.1): what one Unicorn translates returns through the code of the one that was
 * set up last, and crashes once that one is closed. Hence the rule, on every host:
 *
 *	A Unicorn that lives longer than others of its architecture is not run when
 *	another was opened after it: its owner closes it and opens a new one.
 */

#include "../../core/types.h"

#include <unicorn/unicorn.h>

/**
 * sim_uc_open() - uc_open(), counted
 * @arch:	guest architecture
 * @mode:	its mode
 * @out:	the new Unicorn, to be closed with uc_close()
 *
 * Return: UC_ERR_OK or what uc_open() says.
 */
uc_err sim_uc_open(uc_arch arch, uc_mode mode, uc_engine **out);

/**
 * sim_uc_n_opened() - how many Unicorns of an architecture were opened so far
 * @arch:	guest architecture
 */
u32 sim_uc_n_opened(uc_arch arch);
