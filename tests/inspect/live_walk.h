/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* A walk of a stopped thread by the core, with port_world as its port. */

#include "../../inspect/target/target.h"
#include "live_cpu.h"

/*
 * Walks the stopped thread and fills @u->sample. Keeps the cached rules and the process_key of @u.
 * Return: 0 or a negative errno.
 */
int live_walk(struct uw_state *u, struct live_cpu *c, struct target *t);
