/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Definitions for tests that compare a session of an engine with a native session.
 */

#include "../core/walks.h"

#include "../../fixtures/stacks/all.h"
#include "../../sim/engine/blob.h"
#include "../../sim/engine/compare.h"

#include <errno.h>

static struct sim_walk native_walk, other_walk;

static inline struct sim_session *open_session(const struct sim_engine *engine,
					       const struct sim_arch *arch)
{
	struct sim_session *session;
	int err = sim_session_open(engine, arch, &session);

	if (err)
		fail_msg("%s: %s", engine->name, session ? session->why : strerror(-err));
	return session;
}

/*
 * Walks with both engines. Return: the number of differing bytes; if @say, the first one is
 * printed.
 */
static inline struct sim_difference differences(struct sim_session *native,
						struct sim_session *other,
						const struct sim_target *target, const char *name,
						bool say)
{
	struct sim_difference d;
	char words[384];
	int err;

	memset(&native_walk.state, 0xa5, sizeof(native_walk.state));
	memset(&other_walk.state, 0x5a, sizeof(other_walk.state));
	assert_int_equal(sim_session_walk(native, target, &native_walk), 0);
	err = sim_session_walk(other, target, &other_walk);
	if (err)
		fail_msg("%s: %s: %s", other->engine->name, name, other->why);
	if (!sim_walk_compare(&native_walk, &other_walk, &d) && say) {
		sim_difference_words(&d, &native_walk, &other_walk, words, sizeof(words));
		print_error("%s: %s: %s\n", other->engine->name, name, words);
	}
	return d;
}
