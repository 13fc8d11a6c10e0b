/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Any engine as the walker of a sweep. */

#include "../engine/engine.h"
#include "judge.h"

/*
 * The kernel engine maps the whole case for each walk, which takes milliseconds: it
 * walks at one boundary in so many, if nothing else is said. A prime: loops are not
 * met at the same instruction each time.
 */
#define SWEEP_KERNEL_EVERY 997

struct sweep_engine {
	struct sweep_walker walker;
	struct sim_session *session;
	struct sim_walk *walk; /* owned */
};

/**
 * sweep_engine_init() - let an engine walk
 * @session:	borrowed; the native engine walks without a log of its reads
 * @every:	walk at one boundary in so many; 0: as many as is usual for the engine
 * @out:	must not be moved; ends with sweep_engine_deinit()
 *
 * Return: 0 or -ENOMEM.
 */
int sweep_engine_init(struct sim_session *session, u32 every, struct sweep_engine *out);
void sweep_engine_deinit(struct sweep_engine *e);
