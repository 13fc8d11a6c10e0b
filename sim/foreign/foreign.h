/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * An engine for an external unwinder: a header that is compiled with the core's port, once for each
 * architecture, like the core. A build has at most one such header (`meson configure
 * -Dforeign=PATH`); docs/guides/plugins.md lists the functions that the header must define.
 *
 * This engine is not in sim_engines, because the engines in that list must agree byte for byte.
 */

#include "../engine/engine.h"

/*
 * In a build without a foreign header, the engine can't run, and its error message explains how to
 * add a header.
 */
extern const struct sim_engine sim_engine_foreign;

/* The walk functions of the header, like those of struct sim_arch. */
void sim_foreign_walk_x86_64(struct uw_state *u, const struct sim_target *target);
void sim_foreign_walk_arm64(struct uw_state *u, const struct sim_target *target);
