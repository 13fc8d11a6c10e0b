// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench-recorded: measures the cost of the flight recorder for a walk
 * of 32 frames in the kernel, relative to the same program without the
 * recorder. The programs alternate, and the best of all rounds counts. The
 * program without the recorder is measured twice, to show how much the times of
 * two equal programs differ.
 */

#include <stdio.h>
#include <string.h>

#include "../../core/flight_ring.h"
#include "recorded.h"

#define N_ROUNDS 12

enum { PLAIN, PLAIN_AGAIN, OFF, DEFAULT, STEPS, N_CONFIGS };

static const u64 masks[N_CONFIGS] = {
	[DEFAULT] = FLIGHT_DEFAULT_MASK, [STEPS] = FLIGHT_DEFAULT_MASK | 1ull << FLIGHT_STEP
};

static int measure_kind(u32 kind)
{
	u32 ns[N_CONFIGS];
	int err = 0;

	memset(ns, 0xff, sizeof(ns));
	for (u32 i = 0; i < N_ROUNDS * N_CONFIGS && !err; i++) {
		u32 config = i % N_CONFIGS;

		err = (config < OFF ? &recorded_plain : &recorded_flight)
			      ->time(kind, masks[config], &ns[config]);
	}
	if (err)
		return err;
	printf("  %-15s %6u ns", recorded_kind(kind), ns[PLAIN]);
	for (u32 i = PLAIN_AGAIN; i < N_CONFIGS; i++)
		printf(" %+7.1f %%", 100.0 * ((double)ns[i] - ns[PLAIN]) / ns[PLAIN]);
	printf("  %5.1f ns a step\n", ((double)ns[STEPS] - ns[DEFAULT]) / RECORDED_DEPTH);
	return 0;
}

int main(void)
{
	int err = recorded_plain.open();

	if (!err)
		err = recorded_flight.open();
	if (!err)
		printf("  a walk of %d frames   without    again       off   default with steps\n",
		       RECORDED_DEPTH);
	for (u32 i = 0; !err && recorded_kind(i); i++)
		err = measure_kind(i);
	recorded_flight.close();
	recorded_plain.close();
	if (err)
		fprintf(stderr, "unspool-bench-recorded: %s\n", strerror(-err));
	return err != 0;
}
