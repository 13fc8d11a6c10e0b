/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The core's walk of a stopped thread, in port_world. */

#include "../../inspect/target/target.h"
#include "live_cpu.h"

/*
 * Fills @u->sample; cached rules and process_key of the old @u are kept. 0 or a negative
 * errno.
 */
int live_walk(struct uw_state *u, struct live_cpu *c, struct target *t);
