// SPDX-License-Identifier: BSD-2-Clause

/* Reads a fixture in YAML, and makes it a case of each architecture. */

#include "file.h"

#include "../../sim/fixture/load.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct sim_arch *const archs[] = { &sim_arch_x86_64, &sim_arch_arm64 };

	for (u32 i = 0; i < 2; i++) {
		struct sim_error error = { "" };
		struct sim_case *c = NULL;
		int err = sim_text_load(fuzz_path(data, size), archs[i], &c, &error);

		FUZZ_MUST(!err == !!c, "the reader must return either an error (%d) or a case",
			  err);
		FUZZ_MUST(!err || err == -95 || error.text[0], "error %d has no message", err);
		sim_text_free(&c);
	}
	return 0;
}
