/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Somebody else's unwinder as an engine: a header that is compiled against the core's
 * port, once for each architecture, as the core itself is. A build has one such header
 * (`meson configure -Dforeign=PATH`) or none; docs/guides/plugins.md says what it defines.
 *
 * It is none of sim_engines: those agree byte for byte, a stranger need not.
 */

#include "../engine/engine.h"

/* Without a header it cannot run here, and says how to get it. */
extern const struct sim_engine sim_engine_foreign;

/* The header's walks, as struct sim_arch's. */
void sim_foreign_walk_x86_64(struct uw_state *u, const struct sim_target *target);
void sim_foreign_walk_arm64(struct uw_state *u, const struct sim_target *target);
