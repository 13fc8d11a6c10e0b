/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Writes the profile's lines about processes and threads before their first sample. */

#include "../profile/profile.h"
#include "image.h"

struct announcer;

int announcer_new(struct announcer **a, struct profile *profile);
void announcer_free(struct announcer **a);

/**
 * announcer_must_wait() - is the process's name not known yet, but will be in a moment?
 * @image:	of @p
 * @tick_ns:	begin of the tick: /proc is asked once in each
 *
 * So it is in the midst of an exec: the arguments are not there.
 */
bool announcer_must_wait(struct process *p, struct image *image, u64 tick_ns);

/**
 * announcer_sample() - the lines that must stand before this sample's
 * @p:		its process, NULL: it died unseen
 *
 * Return: 0 or a negative errno of the profile.
 */
int announcer_sample(struct announcer *a, struct process *p, const struct uw_sample *s);

/* The thread has a new name: say it again with its next sample. */
void announcer_forget_thread(struct announcer *a, u32 tid);
