// SPDX-License-Identifier: BSD-2-Clause

/*
 * An ELF file: its segments, symbols, stubs and FDEs, its debug link, its compressed section, and
 * its V8, CoreCLR and Go data. The target does not read the file's DWARF, because libdw does that.
 */

#include "file.h"

#include <stdint.h>
#include <unistd.h>

#include "../../inspect/dotnet/dotnet_build.h"
#include "../../inspect/elf/debug_link.h"
#include "../../inspect/elf/elf_file.h"
#include "../../inspect/symbols/lines.h"
#include "../../inspect/elf/minidebug.h"
#include "../../inspect/symbols/symbols.h"
#include "../../inspect/go/go_frames.h"
#include "../../inspect/unwind/starts.h"
#include "../../inspect/util/cleanup.h"
#include "../../inspect/v8/v8_build.h"
#include "../../inspect/v8/v8_rows.h"

static void look_up(struct elf_file *f)
{
	struct symbols *symbols = NULL;
	char name[256];
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);
	u64 off;

	if (symbols_new(&symbols, f, f, go_symbols))
		return;
	for (size_t i = 0; i < n; i++)
		symbols_lookup(symbols, s[i].addr + 1, name, sizeof(name), &off);
	symbols_free(&symbols);
}

/* Looks up the functions at the first bytes of code. */
static void look_at_starts(int fd, struct elf_file *f)
{
	struct starts *starts = NULL;
	u64 start, end;
	size_t n;
	const struct elf_segment *s = elf_file_segments(f, &n);

	if (starts_open(&starts, fd))
		return;
	for (size_t i = 0; i < n * 64; i++) {
		u64 addr = s[i / 64].addr + i % 64;

		if (!starts_find(starts, addr, &start, &end))
			FUZZ_MUST(start <= addr && addr < end, "%llx is not in [%llx, %llx)", addr,
				  start, end);
	}
	starts_free(&starts);
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

/* Searches any file for the functions of CoreCLR. */
static void look_for_gc(struct elf_file *f)
{
	_cleanup_(dotnet_build_free) struct dotnet_build *found = NULL;
	struct dotnet_build made = {};

	dotnet_build_new(&found, f);
	if (!dotnet_build_find_gc(&made, f))
		for (u32 i = 0; i < made.n_gc; i++)
			dotnet_build_is_gc(&made, made.gc[i].start_off);
}

static int check_frame(const struct lines_frame *frame, void *data)
{
	u32 *n = data;

	FUZZ_MUST(frame->name && frame->name[0], "a frame without a name");
	FUZZ_MUST(++*n <= LINES_MAX_DEPTH + 1, "%u frames", *n);
	return 0;
}

/* Looks up inlined calls at the start and in the middle of functions. */
static void look_at_go(struct elf_file *f)
{
	struct go_table *t = NULL;
	struct go_function fn;

	if (go_table_open(&t, f))
		return;
	for (u32 i = 0; i < go_table_count(t) && i < 64; i++) {
		u32 n = 0, found;

		if (go_table_function(t, i, &fn))
			continue;
		FUZZ_MUST(fn.start < fn.end, "function %u", i);
		if (!go_table_find(t, fn.start, &found, &fn))
			FUZZ_MUST(fn.end > fn.start, "function %u", found);
		go_frames(t, fn.start, check_frame, &n);
		n = 0;
		go_frames(t, fn.start + (fn.end - fn.start) / 2, check_frame, &n);
	}
	go_table_free(&t);
}

static void check_rule(const struct uw_rule *rule, u64 start, u64 end, void *data)
{
	(void)data;
	FUZZ_MUST(start < end && rule->cfa < UW_N_CFAS,
		  "the rule with cfa %u at [%llx, %llx) is invalid", rule->cfa, start, end);
}

static void look_at_v8(struct elf_file *f)
{
	_cleanup_(v8_build_free) struct v8_build *build = NULL;

	if (!v8_build_new(&build, f))
		v8_build_rows(build, f, 0, UINT64_MAX, check_rule, NULL);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct elf_file *f = NULL;

	if (elf_file_open_fd(&f, fuzz_fd(data, size)))
		return 0;
	elf_file_build_id(f);
	look_up(f);
	look_at_starts(elf_file_fd(f), f);
	look_at_go(f);
	look_for_debug_files(f);
	look_at_v8(f);
	look_for_gc(f);
	elf_file_free(&f);
	return 0;
}
