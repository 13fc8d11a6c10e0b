// SPDX-License-Identifier: BSD-2-Clause

/* Parses a PE image as a file and as a mapped image, including its metadata. */

#include "metadata.h"

#include "../../inspect/dotnet/pe.h"

#define CLI_METADATA 1

static void look(struct target *t, bool is_flat)
{
	struct pe_range range;
	struct metadata m;
	struct pe pe;
	u64 addr;

	if (pe_init(&pe, t, FUZZ_BASE, is_flat))
		return;
	FUZZ_MUST(pe.n_sections <= PE_MAX_SECTIONS, "%u sections", pe.n_sections);
	if (!pe_cli_range(&pe, CLI_METADATA, &range) && !pe_addr(&pe, range, &addr) &&
	    !metadata_init(&m, t, addr, range.len))
		fuzz_metadata(&m);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fake_bytes bytes;

	fake_bytes_init(&bytes, FUZZ_BASE, data, size);
	look(&bytes.target, true);
	look(&bytes.target, false);
	return 0;
}
