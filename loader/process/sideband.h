/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The life of every process of the machine, from perf's side-band records: one
 * dummy software event a CPU, each with a ring of its own. No probes, nothing to
 * compile, and the records come without a wake-up of the recorder.
 *
 * Order. Within a ring records are in time order; sideband_next() merges the rings
 * by time. A record becomes visible a little after its time was taken, so an event
 * is certain to come before every later call's only if it is older than
 * SIDEBAND_SETTLE_NS. Memory is the rings and one record a CPU, whatever happens.
 *
 * Waking up. A ring wakes its reader when it is an eighth full; a wake-up a record
 * costs the target 5 us each. So callers poll sideband_fd() with a timeout of
 * SIDEBAND_POLL_MS, and an exec or a new mapping is seen within that time.
 *
 * Losses. A full ring drops records and says so with PROCESS_LOST when there is room
 * again: what was lost is unknown, so the caller looks at /proc again.
 */

#include "process_event.h"

#define SIDEBAND_POLL_MS 10
#define SIDEBAND_SETTLE_NS 1000000ull

struct sideband;

/**
 * sideband_new() - begin to listen, on every CPU that is online
 * @sb:		new object, free with sideband_free()
 *
 * Return: 0, -EACCES or -EPERM (CAP_PERFMON, or root on 5.10 and older, is missing
 * and perf_event_paranoid is above 0), -EMFILE, -ENOMEM, -ENOSYS.
 */
int sideband_new(struct sideband **sb);
void sideband_free(struct sideband **sb);

/**
 * sideband_renew() - listen anew on a CPU that may have been offline
 *
 * Events since the CPU came online are lost, so the caller scans /proc again. Does nothing if
 * the CPU is offline.
 *
 * Return: 0, or as sideband_new(): the CPU has no events any more.
 */
int sideband_renew(struct sideband *sb, u32 cpu);

/* To be polled for input: readable when a ring has filled up to its watermark. */
int sideband_fd(const struct sideband *sb);

/**
 * sideband_next() - the earliest unread event of all CPUs
 * @sb:		sideband
 * @until_ns:	CLOCK_MONOTONIC; later events stay for another call
 * @ev:		the event; a path in it is valid until the next call
 *
 * Pass now - SIDEBAND_SETTLE_NS, or the time of a sample that is older than that;
 * ~0 takes whatever there is.
 *
 * Return: true and an event, or false.
 */
bool sideband_next(struct sideband *sb, u64 until_ns, struct process_event *ev);

/*
 * Records that were lost for want of room, and records that made no sense. A CPU that
 * has nothing more to tell owes its PROCESS_LOST; from Linux 6.0 on it is counted here all
 * the same, by a system call a CPU: ask now and then, and at the end.
 */
u64 sideband_n_lost(const struct sideband *sb);
u64 sideband_n_bad(const struct sideband *sb);
