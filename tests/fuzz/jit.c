// SPDX-License-Identifier: BSD-2-Clause

/*
 * A perf map or a jitdump that a process writes while it is read: it is written in two parts, the
 * second after the first or over it, and addresses are looked up after each part.
 *
 *	byte 0		map or dump, appended or rewritten, owner
 *	byte 1		end of the first part, in 1/256
 */

#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../../loader/jit/jit_source.h"

#define IS_MAP 1
#define IS_ANEW 2
#define IS_INHERITED 4

static void look(struct jit_source *s)
{
	struct jit_code c;

	for (u32 i = 0; i < 64 && !jit_source_poll(s, ~0ull - 1); i++)
		;
	for (u64 addr = 0; addr < 0x3000; addr += 0x7f)
		for (u64 time = 500; time < ~0ull / 8; time *= 8)
			if (!jit_source_find(s, addr, time, &c))
				FUZZ_MUST((!c.name || c.name[0]) && c.start_addr <= addr &&
						  (!c.line || c.file),
					  "half a name");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct jit_source_config config = { .pid = 812 };
	struct jit_source *s = NULL;
	size_t used = 0, first;
	int fd;

	if (size < 2)
		return 0;
	config.is_map = data[0] & IS_MAP;
	config.until_ns = data[0] & IS_INHERITED ? 1015 : ~0ull;
	config.used = &used;
	first = (size - 2) * data[1] / 256;
	fd = memfd_create("jit", MFD_CLOEXEC);
	FUZZ_MUST(fd >= 0 && write(fd, data + 2, first) == (ssize_t)first, "no file");
	FUZZ_MUST(!jit_source_new(&s, dup(fd), &config), "no source");
	look(s);
	if (data[0] & IS_ANEW)
		FUZZ_MUST(!ftruncate(fd, 0) && !lseek(fd, 0, SEEK_SET), "not cut");
	FUZZ_MUST(write(fd, data + 2 + first, size - 2 - first) == (ssize_t)(size - 2 - first),
		  "not written");
	look(s);
	jit_source_free(&s);
	FUZZ_MUST(!used, "%zu bytes are still accounted as used after the source was freed", used);
	close(fd);
	return 0;
}
