/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Writes the metadata of processes and threads into the profile, before their first sample. */

#include "../profile/profile.h"
#include "image.h"

struct metadata_writer;

int metadata_writer_new(struct metadata_writer **a, struct profile *profile);
void metadata_writer_free(struct metadata_writer **a);

/**
 * metadata_writer_must_wait() - check whether the process's name will be known soon
 * @image:	of @p
 * @tick_ns:	time at which the tick began; /proc is read at most once in each tick
 *
 * While a process is in an exec, /proc does not have the new arguments yet, so the name of the
 * process is unknown.
 */
bool metadata_writer_must_wait(struct process *p, struct image *image, u64 tick_ns);

/**
 * metadata_writer_sample() - write the lines that must precede this sample
 * @p:		the process of the sample; NULL: it ended before it was known
 *
 * Return: 0 or a negative errno of the profile.
 */
int metadata_writer_sample(struct metadata_writer *a, struct process *p, const struct uw_sample *s);

/* Forgets which lines were written, because the profile begins again. */
void metadata_writer_forget(struct metadata_writer *a);

/*
 * Forgets that a thread's line was written, so that its new name is written with the next sample.
 */
void metadata_writer_forget_thread(struct metadata_writer *a, u32 tid);
