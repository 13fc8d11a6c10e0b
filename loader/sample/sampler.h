/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The loader's interface to the kernel side: loads the program, opens a sampling event
 * on each CPU, delivers samples, and counts lost ones.
 */

#include "../../core/uw_frame.h"
#include "../rows/row_pool.h"
#include "tables.h"

struct sampler;
struct uw_log;

#define SAMPLER_MAX_AT 4 /* x86-64 has as many debug registers, arm64 at least two */

struct sampler_config {
	u32 hz;
	/* Instead of by time: each time one of these instructions is about to be executed. */
	u64 at_addrs[SAMPLER_MAX_AT];
	u32 n_at;
	enum uw_target_mode mode;
	const u32 *tids; /* UW_TARGET_TIDS */
	u32 n_tids;
	int cgroup_fd; /* UW_TARGET_CGROUP, else -1; borrowed */
	u64 rows_len; /* bytes of unwind rows; 0: none */
	bool wants_async; /* walk on to the functions that wait for those on the stack */
	bool captures; /* keep a log of each walk's reads: sampler_log() */
	bool freezes; /* keep the log of each walk that freezes its CPU's ring: sampler_log() */
	u32 flight_slots; /* of each CPU's ring of the flight recorder, a power of two; 0: none */
};

/* All CPUs, since the start. */
struct sampler_counts {
	u64 runs, idle, exiting, foreign, unwanted, sent;
	u64 no_room; /* ring buffer full */
	u64 missed; /* periods without a run on a CPU that was not idle */
	u64 bpf_ns; /* time in the program */
};

/**
 * sampler_new() - load the program
 * @why:	@why_len bytes: on failure, one line for people
 *
 * Return: 0 or a negative errno (-EPERM, -ENOTSUP, ...).
 */
int sampler_new(struct sampler **s, const struct sampler_config *c, char *why, size_t why_len);
void sampler_free(struct sampler **s);

/* The tables that the program reads; borrowed. */
struct tables_memory sampler_tables(struct sampler *s);
struct row_memory sampler_rows(struct sampler *s);

/* Sampling begins; 0 or a negative errno with @why set. */
int sampler_start(struct sampler *s, char *why, size_t why_len);

/**
 * sampler_renew() - sample a CPU anew that may have been offline: its events are silent then
 *
 * Nothing happens where it is offline, or sampling has not begun.
 *
 * Return: 0 or a negative errno: the CPU is not sampled any more, or not for all addresses.
 */
int sampler_renew(struct sampler *s, u32 cpu);

/* Number of possible CPUs. */
u32 sampler_n_cpus(const struct sampler *s);

/* Sampling ends; what is in the ring can still be drained. */
void sampler_stop(struct sampler *s);

/**
 * sampler_drain() - every sample that is in the ring
 * @fn:		gets each; the sample is borrowed until it returns, and whole: its
 *		size was checked against n_frames
 *
 * Return: number of samples, or a negative errno.
 */
int sampler_drain(struct sampler *s, void (*fn)(const struct uw_sample *sample, void *data),
		  void *data);

/* The reads of the walk of a sample, as logs_find(). */
const struct uw_log *sampler_log(struct sampler *s, const struct uw_sample *sample);

struct sampler_counts sampler_counts(const struct sampler *s);

/**
 * sampler_flight() - the maps of the flight recorder
 * @rings_fd:	a ring a CPU, and one more; borrowed
 * @control_fd:	its control page; borrowed
 *
 * Return: false: there is none, since this kernel refuses a program with it.
 */
bool sampler_flight(const struct sampler *s, int *rings_fd, int *control_fd);

/**
 * sampler_flight_cost() - what an entry of the flight recorder costs on this machine
 *
 * Before sampler_start(), for whoever records: it writes entries, if steps are on, and leaves them
 * in the rings.
 *
 * Return: picoseconds; 0: not known.
 */
u64 sampler_flight_cost(const struct sampler *s);

/* Bits of an address, as the walk takes them: see struct uw_state. */
u64 sampler_va_mask(void);

/* Whether samples come from hardware cycles (true) or the CPU clock. */
bool sampler_uses_cycles(const struct sampler *s);
