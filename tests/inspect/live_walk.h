/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The core's walk of a thread that is stopped by ptrace, in port_world. */

#include "../../core/uw_state.h"
#include "../../inspect/target/target.h"

/*
 * Fills @u->sample; of what @u was before, recipes and recipes_of are kept. 0 or a negative
 * errno.
 */
int live_walk(struct uw_state *u, int tid, struct target *t);
