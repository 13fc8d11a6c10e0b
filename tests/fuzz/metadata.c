// SPDX-License-Identifier: BSD-2-Clause

/* The metadata of an assembly, starting at the metadata root. */

#include "metadata.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fake_bytes bytes;
	struct metadata m;

	fake_bytes_init(&bytes, FUZZ_BASE, data, size);
	if (!metadata_init(&m, &bytes.target, FUZZ_BASE, (u32)size))
		fuzz_metadata(&m);
	return 0;
}
