// SPDX-License-Identifier: BSD-2-Clause

/* Reads a profile as `unspool report`, `unspool convert` and `unspool diff` do. */

#include "file.h"

#include "../../loader/profile/data.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct prof_reader *reader = NULL;
	struct prof_data *profile = NULL;
	u64 samples = 0, listed = 0;

	if (prof_reader_new(dup(fuzz_fd(data, size)), "input", &reader))
		return 0;
	if (!data_read_samples(reader, &profile)) {
		for (u32 i = 0; i < profile->n_cells; i++) {
			struct data_cell cell = data_cell(profile, i);

			FUZZ_MUST(cell.stack < profile->n_stacks, "no such stack");
			samples += profile->counts[i];
		}
		FUZZ_MUST(samples == profile->samples,
			  "the cells have %llu samples, but the profile has %llu", samples,
			  profile->samples);
		for (u32 i = 0; i < profile->n_list; i++) {
			FUZZ_MUST(profile->list[i].cell < profile->n_cells, "no such cell");
			listed += profile->list[i].count;
		}
		FUZZ_MUST(samples == listed, "%llu samples are listed, of %llu", listed, samples);
	}
	data_free(&profile);
	prof_reader_free(&reader);
	return 0;
}
