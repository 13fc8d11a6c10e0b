/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Where in a case an address is, for people. */

#include "case.h"

/* The function that holds @pc, or NULL; borrowed from the case. */
const struct sim_function *sim_function_at(const struct sim_case *c, u64 pc);

/* What the case calls the window that holds @pc, or NULL: none does; borrowed. */
const char *sim_window_at(const struct sim_case *c, u64 pc);

/**
 * sim_where() - "name+0x12 (0x400012)", or the address alone outside of functions
 *
 * Return: @out.
 */
const char *sim_where(const struct sim_case *c, u64 pc, char *out, size_t size);
