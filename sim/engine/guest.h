/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The guest engine and, for tests, sessions of it with a different image. */

#include "blob.h"
#include "engine.h"

extern const struct sim_engine sim_engine_guest;

/**
 * sim_guest_open() - open a session of the guest engine with any flat image
 * @image:	copied
 *
 * Return: 0 or a negative errno; @out as for sim_session_open().
 */
int sim_guest_open(const struct sim_arch *arch, struct sim_blob image, struct sim_session **out);

struct uc_struct;

/* Returns the Unicorn instance of a guest's session, for hooks; it is closed with the session. */
struct uc_struct *sim_guest_uc(struct sim_session *session);
