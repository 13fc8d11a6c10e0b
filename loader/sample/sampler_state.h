/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The state of a sampler, shared by sampler.c (the program) and events.c (the events of the
 * CPUs).
 */

#include "logs.h"
#include "program.h"
#include "sampler.h"

struct drain {
	void (*fn)(const struct uw_sample *sample, void *data);
	void *data;
	int n;
};

struct sampler {
	struct sampler_config config;
	const struct program_ops *ops;
	struct program program;
	struct ring_buffer *ring;
	struct logs *logs; /* NULL: no logs */
	struct drain drain;
	u32 *rows; /* memory of the map of rows, config.rows_len bytes; NULL: no rows */
	u32 n_cpus, n_per_cpu; /* events */
	int *event_fds; /* -1: CPU offline */
	struct bpf_link **links;
	int stats_fd;
	u64 period_ns;
	u64 bpf_ns;
	bool uses_cycles;
	bool is_running;
};

/* Return: whether this machine has a hardware cycles event. */
bool events_have_cycles(const struct sampler *s);

/**
 * events_start() - open an event of a CPU and run the program on it
 * @i:	event number @i % n_per_cpu of CPU @i / n_per_cpu
 *
 * Return: 0, even if the CPU is offline, or a negative errno.
 */
int events_start(struct sampler *s, u32 i);
void events_stop(struct sampler *s, u32 i);
