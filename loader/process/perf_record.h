/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Decodes perf's side-band records. The layout of the records is in
 * include/uapi/linux/perf_event.h, enum perf_event_type (Linux 6.1). All records end with the same
 * sample_id, because the events are opened with sample_id_all and PERF_RECORD_SAMPLE_TYPE:
 *
 *	{ u32 pid, tid; u64 time; u32 cpu, res; }
 */

#include <linux/perf_event.h>

#include "process_event.h"
#include "perf_ring.h"

#define PERF_RECORD_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)

/**
 * perf_record_decode() - decode one record into one event
 * @rec:	record with header.size readable bytes
 * @ev:		the event; its path points into @rec
 *
 * Return: 0, -ENOMSG (the record is not needed, or its process is outside of the recorder's PID
 * namespace), -EBADMSG (malformed).
 */
int perf_record_decode(const struct perf_event_header *rec, struct process_event *ev);

/* Time of the event, CLOCK_MONOTONIC; 0 for a record that is too short. */
u64 perf_record_time(const struct perf_event_header *rec);

/* The ring with the earliest record that is not later than @until_ns, or NULL. */
struct perf_ring *perf_rings_earliest(struct perf_ring **rings, u32 n, u64 until_ns);
