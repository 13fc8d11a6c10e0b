// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

/* Contains only the recorder's kernel side, which records walks of 32 steps with known words. */

#include "../../core/flight.h"

#define N_STEPS 32

u64 n_walks;

SEC("tc")
int record_walk(struct __sk_buff *skb)
{
	u64 walk = n_walks++;

	(void)skb;
	flight_begin(7ull << 32 | 8, walk, 1, 2, 3);
	for (u64 i = 0; i < N_STEPS; i++) {
		u64 d[] = { walk, i, walk + i, walk ^ i, ~walk };

		flight_event(FLIGHT_STEP, FLIGHT_START, (u32)i, d, 5);
	}
	flight_end(1, N_STEPS, walk, 4, 0);
	return 0;
}

/* An entry of three slots. */
SEC("tc")
int record_group(struct __sk_buff *skb)
{
	u64 walk = n_walks++;
	u64 d[19] = { walk, walk + 1, walk + 2, [18] = ~walk };

	(void)skb;
	flight_log(FLIGHT_TABLES, FLIGHT_START, 1, d, 19);
	return 0;
}

/* The same loop as above, but without writing entries. */
SEC("tc")
int record_nothing(struct __sk_buff *skb)
{
	(void)skb;
	n_walks++;
	for (u64 i = 0; i < N_STEPS; i++)
		asm volatile("" : : "r"(i));
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
