// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench-flight-kernel: measures the cost of recording a walk of 32
 * steps in the kernel, compared with the same program without recording: with
 * all classes on, with begin and end only, and with all classes off. The kernel
 * repeats and times the programs itself. The best of several rounds counts.
 */

#include <stdio.h>
#include <string.h>

#include "../flight/kernel.h"

#define N_ROUNDS 30
#define REPEAT 20000
#define N_STEPS 32

static int best(const struct bpf_program *program)
{
	int least = kernel_run(program, REPEAT);

	for (int i = 0; i < N_ROUNDS && least >= 0; i++) {
		int ns = kernel_run(program, REPEAT);

		if (ns < least)
			least = ns;
	}
	return least;
}

int main(void)
{
	struct kernel k;
	int err = kernel_load(&k, 16384, 0), none, all, ends, off, group;

	if (err) {
		fprintf(stderr, "unspool-bench-flight-kernel: cannot load the BPF programs: %s\n",
			strerror(-err));
		return 1;
	}
	none = best(k.skel->progs.record_nothing);
	all = best(k.skel->progs.record_walk);
	group = best(k.skel->progs.record_group);
	k.skel->data_flight->flight_page.mask = 1 << FLIGHT_BEGIN | 1 << FLIGHT_END;
	ends = best(k.skel->progs.record_walk);
	k.skel->data_flight->flight_page.mask = 0;
	off = best(k.skel->progs.record_walk);
	kernel_unload(&k);
	printf("  recording a walk of %d steps in the kernel takes %d ns, or %d ns if only begin "
	       "and "
	       "end are recorded, or %d ns if nothing is recorded; an empty program takes %d ns\n",
	       N_STEPS, all, ends, off, none);
	printf("  recording a step takes %.1f ns, or %.2f ns if steps are not recorded; a program "
	       "that "
	       "records one entry of 3 slots takes %d ns\n",
	       (double)(all - ends) / N_STEPS, (double)(off - none) / N_STEPS, group);
	return none < 0 || all < 0 || ends < 0 || off < 0 || group < 0;
}
