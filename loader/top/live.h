/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The last seconds of a profile that is being written. The whole profile is read once, line by
 * line; the counts of the last seconds are the difference of two snapshots of all counts.
 *
 *	seconds      0    1    2   ...   30   31
 *	snapshots                   21 ..... 31       samples = snapshot 31 - snapshot 21
 */

#include "../profile/data.h"

#define LIVE_WINDOW_S 10

struct live;

/**
 * live_new() - start to read a profile
 * @reader:	at the start of the profile; owned from here on, even on failure
 * @now_ns:	time of the first sample, by any clock
 *
 * Return: 0 or -ENOMEM.
 */
int live_new(struct live **live, struct prof_reader *reader, u64 now_ns);
void live_free(struct live **live);

/**
 * live_read() - read the lines added since the last call, and take a snapshot
 * @now_ns:	time, by the clock of live_new()
 * @lost:	samples lost since the start of the recording
 *
 * Call it once a second.
 *
 * Return: 0 or a negative errno; -EBADMSG for a malformed or too large profile.
 */
int live_read(struct live *live, u64 now_ns, u64 lost);

/* Moves the window to the newest snapshot. Returns 0 or -ENOMEM. */
int live_move(struct live *live);

/*
 * The samples in the window, as a profile whose duration is that of the window. Borrowed until the
 * next call of a function of this file.
 */
const struct prof_data *live_window(struct live *live);
