// SPDX-License-Identifier: BSD-2-Clause

/*
 * A function that records entries, and an empty one. With core/flight-off, both must compile
 * to the same instructions (off.py).
 */

#include "../../core/flight.h"

void records(u64 pc);
void does_not(u64 pc);

void records(u64 pc)
{
	u64 d[] = { pc, pc, pc, pc, pc };

	flight_begin(pc, pc, pc, pc, 1);
	flight_event(FLIGHT_STEP, FLIGHT_START, 1, d, 5);
	flight_log(FLIGHT_TABLES, FLIGHT_START, 1, d, 3);
	flight_end(1, 2, pc, 4, 0);
}

void does_not(u64 pc)
{
	(void)pc;
}
