// SPDX-License-Identifier: BSD-2-Clause

/* An ELF file: its segments, its symbols, what it says of V8. */

#include "file.h"

#include "../../inspect/elf/elf_file.h"
#include "../../inspect/elf/symbols.h"
#include "../../inspect/v8/v8_build.h"

static void look_up(struct elf_file *f)
{
	struct symbols *symbols = NULL;
	char name[256];
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);
	u64 off;

	if (symbols_new(&symbols, f))
		return;
	for (size_t i = 0; i < n; i++)
		symbols_lookup(symbols, s[i].addr + 1, name, sizeof(name), &off);
	symbols_free(&symbols);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf_file *f = NULL;
	struct v8_build *build = NULL;

	if (elf_file_open_fd(&f, fuzz_fd(data, size)))
		return 0;
	elf_file_build_id(f);
	look_up(f);
	v8_build_new(&build, f);
	v8_build_free(&build);
	elf_file_free(&f);
	return 0;
}
