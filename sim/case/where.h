/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Formats addresses of a case for people. */

#include "case.h"

/* The function that contains @pc, or NULL; borrowed from the case. */
const struct sim_function *sim_function_at(const struct sim_case *c, u64 pc);

/* The kind of frameless range that contains @pc, or NULL; borrowed from the case. */
const char *sim_window_at(const struct sim_case *c, u64 pc);

/**
 * sim_where() - "name+0x12 (0x400012)", or only the address outside of functions
 *
 * Return: @out.
 */
const char *sim_where(const struct sim_case *c, u64 pc, char *out, size_t size);
