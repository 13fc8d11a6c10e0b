/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Queries the metadata for every type and method up to a maximum row. */

#include "fuzz.h"

#include "../inspect/fake_bytes.h"

#include "../../inspect/dotnet/metadata_type.h"

#define FUZZ_BASE 0x10000000ull
#define FUZZ_MAX_ROWS 64u

static inline void fuzz_method(const struct metadata *m, u32 row)
{
	char text[512];
	struct metadata_path path;
	struct text out;
	u32 type;

	text_init(&out, text, sizeof(text));
	if (!metadata_method_type(m, row, &type) && !metadata_path_get(m, type, &path)) {
		FUZZ_MUST(path.n && path.n <= METADATA_MAX_NESTING, "%u types", path.n);
		metadata_path_text(m, &path, &out);
	}
	text_init(&out, text, sizeof(text));
	if (metadata_parameters(m, row, &out))
		FUZZ_MUST(!text[0], "half a signature: %s", text);
	FUZZ_MUST(strlen(text) < sizeof(text), "text without end");
}

static inline void fuzz_metadata(const struct metadata *m)
{
	for (u32 row = 0; row <= FUZZ_MAX_ROWS; row++)
		fuzz_method(m, row);
}
