// SPDX-License-Identifier: BSD-2-Clause

/*
 * This file is compiled once for each of the two programs; RECORDED is the name
 * of the struct with the program's operations.
 */

#include "made_walks.h"
#include "recorded.h"

static struct kernel kernel;

static int open_kernel(void)
{
	return kernel_open(&kernel);
}

static void set_mask(u64 mask)
{
#ifdef KERNEL_RING_SLOTS
	kernel.skel->data_flight->flight_page.mask = mask;
#else
	(void)mask;
#endif
}

static int time_walk(u32 kind, u64 mask, u32 *ns)
{
	u32 n_reads;

	set_mask(mask);
	return measure(&kernel, &kinds[kind], RECORDED_DEPTH, ns, &n_reads);
}

static void close_kernel(void)
{
	kernel_close(&kernel);
}

const struct recorded_ops RECORDED = { open_kernel, time_walk, close_kernel };

#ifdef KERNEL_RING_SLOTS
const char *recorded_kind(u32 kind)
{
	return kind < N_KINDS ? kinds[kind].name : NULL;
}
#endif
