/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The loader's interface to the kernel side: loads the program, opens a sampling event on
 * each CPU, delivers samples, and counts lost samples.
 */

#include "../../core/uw_frame.h"
#include "../rows/row_pool.h"
#include "tables.h"

struct sampler;
struct uw_log;

#define SAMPLER_MAX_AT 4 /* x86-64 has this many debug registers, arm64 at least two */

struct sampler_config {
	u32 hz;
	/*
	 * If n_at is not 0, samples are not taken by time, but before each execution of one
	 * of these instructions.
	 */
	u64 at_addrs[SAMPLER_MAX_AT];
	u32 n_at;
	enum uw_target_mode mode;
	const u32 *tids; /* UW_TARGET_TIDS */
	u32 n_tids;
	u64 tids_ns; /* the threads have started by then (CLOCK_BOOTTIME) */
	int cgroup_fd; /* UW_TARGET_CGROUP, else -1; borrowed */
	u64 rows_len; /* bytes of unwind rows; 0: none */
	bool wants_async; /* continue walks through awaiters */
	bool captures; /* log each walk's reads: sampler_log() */
	bool freezes; /* log only walks that freeze their CPU's ring: sampler_log() */
	u32 flight_slots; /* slots of each CPU's flight recorder ring, a power of two; 0: none */
};

/* Counts since the start, for all CPUs together. */
struct sampler_counts {
	u64 runs, idle, exiting, foreign, unwanted, sent;
	u64 no_room; /* ring buffer full */
	u64 missed; /* periods in which the program did not run on a busy CPU */
	u64 bpf_ns; /* time spent in the BPF program */
};

/**
 * sampler_new() - load the program
 * @why:	@why_len bytes; receives a one-line message on failure
 *
 * Return: 0 or a negative errno (-EPERM, -ENOTSUP, ...).
 */
int sampler_new(struct sampler **s, const struct sampler_config *c, char *why, size_t why_len);
void sampler_free(struct sampler **s);

/* The tables that the program reads; borrowed. */
struct tables_memory sampler_tables(struct sampler *s);
struct row_memory sampler_rows(struct sampler *s);

/* Starts sampling. Return: 0 or a negative errno with @why set. */
int sampler_start(struct sampler *s, char *why, size_t why_len);

/**
 * sampler_renew() - reopen the events of a CPU that may have been offline
 *
 * Does nothing if the CPU is offline or sampling has not started.
 *
 * Return: 0 or a negative errno; after an error, the CPU is not sampled; with --at, it may
 *     still be sampled at some of the addresses.
 */
int sampler_renew(struct sampler *s, u32 cpu);

/* Returns the number of possible CPUs. */
u32 sampler_n_cpus(const struct sampler *s);

/* Stops sampling; samples in the ring can still be drained. */
void sampler_stop(struct sampler *s);

/**
 * sampler_drain() - process every sample in the ring
 * @fn:		called for each sample, which is borrowed until @fn returns; its size has been
 *		checked against n_frames
 *
 * Return: the number of samples, or a negative errno.
 */
int sampler_drain(struct sampler *s, void (*fn)(const struct uw_sample *sample, void *data),
		  void *data);

/* Return: the log of a sample's walk, as from logs_find(). */
const struct uw_log *sampler_log(struct sampler *s, const struct uw_sample *sample);

struct sampler_counts sampler_counts(const struct sampler *s);

/**
 * sampler_flight() - get the maps of the flight recorder
 * @rings_fd:	map with a ring for each CPU and one for the recorder; borrowed
 * @control_fd:	map with the control page; borrowed
 *
 * Return: false if this kernel refuses a program with a flight recorder.
 */
bool sampler_flight(const struct sampler *s, int *rings_fd, int *control_fd);

/**
 * sampler_flight_cost() - measure the cost of a flight recorder entry on this machine
 *
 * Call it before sampler_start(), and only for a recording, because it leaves entries in the
 * rings if the event FLIGHT_STEP is enabled.
 *
 * Return: picoseconds; 0: unknown.
 */
u64 sampler_flight_cost(const struct sampler *s);

/* Returns the mask of the address bits that the walk uses; see struct uw_state. */
u64 sampler_va_mask(void);

/* Return: whether samples come from hardware cycles (true) or the CPU clock. */
bool sampler_uses_cycles(const struct sampler *s);
