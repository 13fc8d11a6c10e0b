// SPDX-License-Identifier: BSD-2-Clause

/*
 * Looks up addresses all over the heap in nibble maps of both formats. The start that is found must
 * not be after the address or before the heap, and no byte before the map may be read.
 */

#include "fuzz.h"

#include "../inspect/fake_bytes.h"

#include "../../inspect/dotnet/nibble_map.h"

#define MAP 0x10000000ull
#define CODE 0x20000000ull

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fake_bytes bytes;
	u64 code_len = size / 4 * 256;

	fake_bytes_init(&bytes, MAP, data, size);
	for (u32 form = 0; form < 2; form++) {
		struct nibble_map map = { &bytes.target, MAP, CODE, code_len, form };
		u64 step = code_len / 64 + 13;

		for (u64 off = 0; off < code_len; off += step) {
			u64 start = CODE;

			if (!nibble_map_find(&map, CODE + off, &start))
				FUZZ_MUST(start >= CODE && start <= CODE + off && !(start & 3),
					  "%llx gives %llx", CODE + off, start);
		}
	}
	FUZZ_MUST(bytes.lowest >= MAP, "address %llx, before the start of the map, was read",
		  bytes.lowest);
	return 0;
}
