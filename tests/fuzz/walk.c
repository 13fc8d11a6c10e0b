// SPDX-License-Identifier: BSD-2-Clause

/* A whole walk, natively: it ends, and what it says can be. */

#include "walk.h"

#include "../core/sane.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct sim_target target;
	static struct uw_state u;
	struct fuzz_input in = { data, size };
	const struct arch_row *arch;

	arch = &arch_rows[fuzz_target(&target, &in)];
	fuzz_memory(&target, &in);
	arch->sim->walk(&u, &target);
	FUZZ_MUST(sample_is_sane(&u.sample, &target), "%s: a walk that cannot be", arch->sim->name);
	return 0;
}
