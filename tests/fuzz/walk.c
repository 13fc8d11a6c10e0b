// SPDX-License-Identifier: BSD-2-Clause

/*
 * Makes a complete native walk. The walk must end with a plausible result, and a second walk, which
 * uses the cached results of the first, must give the same sample.
 */

#include "walk.h"

#include "../core/sane.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct sim_target target;
	static struct uw_sample first;
	static struct uw_state u;
	struct fuzz_input in = { data, size };
	const struct arch_row *arch;

	arch = &arch_rows[fuzz_target(&target, &in)];
	fuzz_memory(&target, &in);
	arch->sim->walk(&u, &target);
	FUZZ_MUST(sample_is_sane(&u.sample, &target), "%s: the result of the walk is impossible",
		  arch->sim->name);
	if (!target.process_key)
		return 0;
	first = u.sample;
	arch->sim->walk(&u, &target);
	FUZZ_MUST(fuzz_is_same(&u.sample, &first),
		  "%s: a second walk of the same stack gave a different sample", arch->sim->name);
	return 0;
}
