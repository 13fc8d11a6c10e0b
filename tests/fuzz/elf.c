// SPDX-License-Identifier: BSD-2-Clause

/*
 * An ELF file: its segments, its symbols and stubs, its link to a debug file, the file
 * compressed in it, what it says of V8 and CoreCLR. Not its DWARF: that is libdw's to read.
 */

#include "file.h"

#include <unistd.h>

#include "../../inspect/dotnet/dotnet_build.h"
#include "../../inspect/elf/debug_link.h"
#include "../../inspect/elf/elf_file.h"
#include "../../inspect/elf/lines.h"
#include "../../inspect/elf/minidebug.h"
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

static void look_for_debug_files(struct elf_file *f)
{
	struct debug_link link;
	int fd;

	debug_link_read(f, &link);
	if (!minidebug_open(f, 1 << 20, &fd))
		close(fd);
	lines_in(f);
}

/* Whatever the file is: it need not look like CoreCLR for its functions to be sought. */
static void look_for_gc(struct elf_file *f)
{
	struct dotnet_build *found, made = {};

	if (!dotnet_build_new(&found, f))
		dotnet_build_free(&found);
	if (!dotnet_build_find_gc(&made, f))
		for (u32 i = 0; i < made.n_gc; i++)
			dotnet_build_is_gc(&made, made.gc[i].start_off);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf_file *f = NULL;
	struct v8_build *build = NULL;

	if (elf_file_open_fd(&f, fuzz_fd(data, size)))
		return 0;
	elf_file_build_id(f);
	look_up(f);
	look_for_debug_files(f);
	v8_build_new(&build, f);
	v8_build_free(&build);
	look_for_gc(f);
	elf_file_free(&f);
	return 0;
}
