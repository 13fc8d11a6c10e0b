// SPDX-License-Identifier: BSD-2-Clause

/*
 * UNWIND_INFO and the map from native to IL offsets: small formats that any bytes can
 * have.
 */

#include "fuzz.h"

#include "../inspect/fake_bytes.h"

#include "../../inspect/dotnet/dotnet_layout.h"
#include "../../inspect/dotnet/unwind_info.h"

#define BASE 0x10000000ull

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct unwind_info info;
	struct fake_bytes bytes;

	fake_bytes_init(&bytes, BASE, data, size);
	if (!unwind_info_read(&bytes.target, BASE, &info)) {
		FUZZ_MUST(info.n_codes <= UNWIND_MAX_CODES, "%u codes", info.n_codes);
		for (u32 i = 0; i < info.n_codes; i++)
			FUZZ_MUST(info.codes[i].op <= UNWIND_SAVE && info.codes[i].reg < 16,
				  "operation %u of register %u", info.codes[i].op,
				  info.codes[i].reg);
	}
	for (u32 major = 6; major <= 10; major++)
		for (u32 off = 0; off < 300; off += 37) {
			struct debug_info_layout l = dotnet_layout_get(major)->debug_info;
			u32 il;

			debug_info_find(&l, &bytes.target, BASE, off, &il);
			l.lacks_flags = true;
			debug_info_find(&l, &bytes.target, BASE, off, &il);
		}
	return 0;
}
