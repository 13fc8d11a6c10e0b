// SPDX-License-Identifier: BSD-2-Clause

/*
 * Reads the index of precompiled code: once from the input as an image, then each
 * part of an index from the start of the input.
 */

#include "fuzz.h"

#include "../inspect/fake_bytes.h"

#include "../../inspect/dotnet/native_format.h"
#include "../../inspect/dotnet/r2r.h"

#define BASE 0x10000000ull

static int look(u32 pos, void *data)
{
	const struct native_format *f = data;
	struct r2r_instance i;
	const u8 *end = f->bytes + f->len, *after;

	FUZZ_MUST(pos < f->len, "element offset %u is outside the %u bytes of the index", pos,
		  f->len);
	if (!r2r_instance_get(f->bytes + pos, end, &i, &after))
		FUZZ_MUST(after > f->bytes + pos && after <= end, "signature without end");
	return 0;
}

static void look_up_all(struct r2r *r)
{
	for (u32 rva = 0; rva < 4096; rva += 7) {
		struct r2r_code code;
		u64 info;

		if (r2r_find(r, rva, &code))
			continue;
		FUZZ_MUST(rva >= code.begin && rva < code.end, "%x in [%x, %x)", rva, code.begin,
			  code.end);
		if (!r2r_debug_info(r, &code, &info))
			FUZZ_MUST(info >= BASE + r->debug_rva &&
					  info <= BASE + r->debug_rva + r->debug_len,
				  "the debug information at %llx is outside of its section", info);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct native_format f = { data, (u32)size };
	struct fake_bytes bytes;
	struct r2r *r2r;
	u32 n, pos;

	native_format_each(&f, look, &f);
	if (!native_format_array_len(&f, &n))
		for (u32 i = 0; i < n && i < 1000; i++)
			if (!native_format_array_find(&f, i, &pos))
				FUZZ_MUST(pos < f.len,
					  "element offset %u is outside the %u bytes of the index",
					  pos, f.len);
	fake_bytes_init(&bytes, BASE, data, size);
	if (!r2r_new(&r2r, &bytes.target, BASE)) {
		look_up_all(r2r);
		r2r_free(&r2r);
	}
	return 0;
}
