/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Gets process events of the whole machine from perf's side-band records. Each CPU has one dummy
 * software event with its own ring. Side-band records need no probes and no compiler, and the
 * recorder does not have to wake up for each record.
 *
 * Order: within a ring records are in time order; sideband_next() merges the rings by time. A
 * record becomes visible only shortly after its timestamp was taken. Therefore an event is certain
 * to be older than all events that later calls return only if it is older than SIDEBAND_SETTLE_NS.
 * Memory is limited to the rings and one record per CPU.
 *
 * Wake-ups: a ring wakes its reader when it is an eighth full, because a wake-up for each record
 * would cost the target 5 us. Therefore callers poll sideband_fd() with a timeout of
 * SIDEBAND_POLL_MS and see an exec or a new mapping within that time.
 *
 * Losses: when a ring is full, records are dropped, and PROCESS_LOST is reported when the ring has
 * room again. Which events were lost is unknown, so the caller reads /proc again.
 */

#include "process_event.h"

#define SIDEBAND_POLL_MS 10
#define SIDEBAND_SETTLE_NS 1000000ull

struct sideband;

/**
 * sideband_new() - start listening on every CPU that is online
 * @sb:		new object, free with sideband_free()
 *
 * Return: 0, -EACCES or -EPERM (perf_event_paranoid is above 0, and CAP_PERFMON, or root on Linux
 * 5.10 and older, is missing), -EMFILE, -ENOMEM, -ENOSYS.
 */
int sideband_new(struct sideband **sb);
void sideband_free(struct sideband **sb);

/**
 * sideband_renew() - listen again on a CPU that may have been offline
 *
 * Events since the CPU came online are lost, so the caller scans /proc again. Does nothing if
 * the CPU is offline.
 *
 * Return: 0, or an error of sideband_new(); the CPU then delivers no more events.
 */
int sideband_renew(struct sideband *sb, u32 cpu);

/* A descriptor for poll(); it is readable when a ring is filled up to the watermark. */
int sideband_fd(const struct sideband *sb);

/**
 * sideband_next() - get the earliest unread event of all CPUs
 * @sb:		sideband
 * @until_ns:	CLOCK_MONOTONIC; later events are left for another call
 * @ev:		the event; a path in it is valid until the next call
 *
 * For @until_ns pass (now - SIDEBAND_SETTLE_NS), or the time of a sample that is older than that;
 * to get all events, pass ~0.
 *
 * Return: true and an event, or false.
 */
bool sideband_next(struct sideband *sb, u64 until_ns, struct process_event *ev);

/*
 * The number of records that were lost because a ring was full, and the number of malformed
 * records. The kernel reports PROCESS_LOST only with a later record of the same CPU. From Linux 6.0
 * on, sideband_n_lost() also counts losses that were not reported yet. This takes a system call for
 * each CPU, so call the function only occasionally and at the end.
 */
u64 sideband_n_lost(const struct sideband *sb);
u64 sideband_n_bad(const struct sideband *sb);
