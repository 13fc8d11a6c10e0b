/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The engines that must agree. */

#include "engine.h"

/* The native engine is first: the others are compared with it. */
#define SIM_N_ENGINES 3
extern const struct sim_engine *const sim_engines[SIM_N_ENGINES];
