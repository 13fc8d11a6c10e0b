// SPDX-License-Identifier: BSD-2-Clause

/* A line of /proc/PID/maps. */

#include "fuzz.h"

#include "../../loader/process/maps.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *line = malloc(size + 1), *path = malloc(size + 1);
	struct maps_entry e;

	FUZZ_MUST(line && path, "no memory");
	memcpy(line, data, size);
	if (!parse_maps_line(line, size, &e)) {
		FUZZ_MUST(e.start_addr < e.end_addr, "an empty mapping");
		FUZZ_MUST(e.path >= line && e.path + e.path_len <= line + size, "a path outside");
		maps_path_unescape(e.path, e.path_len, path);
		FUZZ_MUST(strlen(path) <= e.path_len, "a path that grew");
	}
	free(line);
	free(path);
	return 0;
}
