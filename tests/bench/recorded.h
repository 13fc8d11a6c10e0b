/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Measures how long walks take in the kernel, in a BPF program with the flight recorder and in one
 * without it.
 */

#include "../../core/types.h"

#define RECORDED_DEPTH 32

struct recorded_ops {
	int (*open)(void);
	/*
	 * Times a walk of RECORDED_DEPTH frames; lowers *ns to that time if it is less.
	 * Returns 0 or a negative errno.
	 */
	int (*time)(u32 kind, u64 mask, u32 *ns);
	void (*close)(void);
};

extern const struct recorded_ops recorded_plain, recorded_flight;

const char *recorded_kind(u32 kind); /* NULL after the last */
