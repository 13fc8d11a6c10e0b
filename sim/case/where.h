/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Formats addresses of a case as readable text. */

#include "case.h"

/* Returns the function that contains @pc, or NULL; borrowed from the case. */
const struct sim_function *sim_function_at(const struct sim_case *c, u64 pc);

/* Returns the frameless range that contains @pc, or NULL; borrowed from the case. */
const struct sim_window *sim_window_at(const struct sim_case *c, u64 pc);

/**
 * sim_where() - format an address: "name+0x12 (0x400012)", or the address alone if it is in no
 * function
 *
 * Return: @out.
 */
const char *sim_where(const struct sim_case *c, u64 pc, char *out, size_t size);
