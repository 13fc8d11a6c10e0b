// SPDX-License-Identifier: BSD-2-Clause

/*
 * unspool-bench [OBJECT...]: measures this machine and kernel, for ci/bench.
 * Exit status: 0, 1 when something failed, 3 when BPF cannot be used here.
 */

#include "bench.h"

#include "../core/mapped.h"

#include <stdio.h>
#include <sys/utsname.h>

int main(int argc, char **argv)
{
	struct utsname name;
	int err;

	if (!kernel_can_run()) {
		fprintf(stderr, "unspool-bench: cannot use BPF; run it as root or with CAP_BPF\n");
		return 3;
	}
	uname(&name);
	printf("kernel %s, %s\n\n", name.release, name.machine);
	err = bench_walks();
	if (err)
		fprintf(stderr, "unspool-bench: walks: %s\n", strerror(-err));
	printf("\nthe BPF programs of each object file, loaded one at a time\n");
	for (int i = 1; i < argc; i++) {
		int failed = bench_programs(argv[i]);

		if (failed)
			fprintf(stderr, "unspool-bench: %s: %s\n", argv[i], strerror(-failed));
		err = err ? err : failed;
	}
	return err ? 1 : 0;
}
