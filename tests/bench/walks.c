// SPDX-License-Identifier: BSD-2-Clause

/*
 * Measures nanoseconds per frame. A stack is @depth frames of one kind, 96 bytes each, above a root
 * in libc (made_walks.h). The slope between two depths eliminates the fixed cost of a walk.
 *
 * The unit is the time of an 8-byte bpf_probe_read_user() in the same run,
 * because it varies between machines, and reads are most of the cost of a
 * frame.
 */

#include "bench.h"

#include "made_walks.h"

#include "reads.skel.h"

#define N_READS 200 /* reads per run of reads.bpf.c */
#define N_ROUNDS 4

static const u32 depths[] = { 32, MAX_DEPTH };

struct cost {
	u32 ns[2], n_reads[2]; /* cost of one walk, for each of the depths */
};

static struct kernel kernel;

/* Times N_READS reads of cached memory and the same loop without reads; keeps the shorter times. */
static int measure_read(const struct reads_bpf *skel, u32 *with, u32 *without)
{
	static u64 hot = 1;
	const u64 *addr = &hot;
	int err = time_run(skel->progs.read_loop, &addr, sizeof(addr), with);

	return err ? err : time_run(skel->progs.empty_loop, &addr, sizeof(addr), without);
}

static int measure_all(struct cost costs[N_KINDS], double *read_ns)
{
	struct reads_bpf *skel = reads_bpf__open_and_load();
	u32 with = ~0u, without = ~0u;
	int err = skel ? 0 : -errno;

	for (u32 round = 0; round < N_ROUNDS && !err; round++) {
		err = measure_read(skel, &with, &without);
		for (u32 i = 0; i < 2 * N_KINDS && !err; i++)
			err = measure(&kernel, &kinds[i / 2], depths[i % 2],
				      &costs[i / 2].ns[i % 2], &costs[i / 2].n_reads[i % 2]);
	}
	reads_bpf__destroy(skel);
	*read_ns = (double)(with - without) / N_READS;
	return err;
}

/* Prints one line; returns the frame's time in units of a read. */
static double print_cost(const struct kind *kind, const struct cost *cost, double read_ns)
{
	double n = depths[1] - depths[0], slope = ((double)cost->ns[1] - cost->ns[0]) / n;

	printf("%-15s %-19s %8.1f %8.1f %8.1f %8.2f %8.2f\n", kind->name, kind->objects_name,
	       (double)cost->ns[0] / depths[0], (double)cost->ns[1] / depths[1], slope,
	       (cost->n_reads[1] - cost->n_reads[0]) / n, slope / read_ns);
	return slope / read_ns;
}

static void print_costs(const struct cost costs[N_KINDS], double read_ns)
{
	double worst = 0, native = 0, met = 0;

	printf("one bpf_probe_read_user() of 8 bytes takes %.1f ns\n\n", read_ns);
	printf("%-15s %-19s %8s %8s %8s %8s %8s\n", "ns per frame", "", "depth 32", "128", "slope",
	       "reads", "/ read");
	for (u32 i = 0; i < N_KINDS; i++) {
		double ratio = print_cost(&kinds[i], &costs[i], read_ns);

		if (kinds[i].objects == DENSE_ROWS)
			native = ratio;
		if (kinds[i].objects == MET)
			met = ratio;
		if (kinds[i].kind == UW_V8_JS && ratio > worst)
			worst = ratio;
	}
	printf("\nunwinding a native frame that has a row takes as long as %.2f reads (goal: "
	       "2.3)\n",
	       native);
	printf("unwinding the slowest V8 JavaScript frame takes as long as %.2f reads (goal: "
	       "2.7)\n",
	       worst);
	printf("unwinding a cached CoreCLR JIT frame takes as long as %.2f reads (goal: 2.2)\n",
	       met);
}

int bench_walks(void)
{
	struct cost costs[N_KINDS];
	double read_ns = 0;
	int err = kernel_open(&kernel);

	if (err)
		return err;
	memset(costs, 0xff, sizeof(costs));
	err = measure_all(costs, &read_ns);
	kernel_close(&kernel);
	if (!err)
		print_costs(costs, read_ns);
	return err;
}
