/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Makes an engine the walker of a sweep. */

#include "../engine/engine.h"
#include "judge.h"

/*
 * The kernel engine maps the whole case for each walk, which takes milliseconds, so by default it
 * walks at only one boundary in this many. The number is a prime, so that a loop is not always
 * stopped at the same instruction.
 */
#define SWEEP_KERNEL_EVERY 997

struct sweep_engine {
	struct sweep_walker walker;
	struct sim_session *session;
	struct sim_walk *walk; /* owned */
};

/**
 * sweep_engine_init() - make a walker of an engine
 * @session:	borrowed; the native engine walks without a log of its reads
 * @every:	walk at one boundary in @every; 0: the engine's default
 * @out:	must not be moved; freed by sweep_engine_deinit()
 *
 * Return: 0 or -ENOMEM.
 */
int sweep_engine_init(struct sim_session *session, u32 every, struct sweep_engine *out);
void sweep_engine_deinit(struct sweep_engine *e);
