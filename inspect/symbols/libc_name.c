// SPDX-License-Identifier: BSD-2-Clause

#include "libc_name.h"

#include "../util/array.h"

#include <fnmatch.h>
#include <stddef.h>

bool elf_name_is_libc(const char *name)
{
	/*
	 * libc.so.6 or libc-2.31.so (glibc before 2.34); ld-musl-x86_64.so.1 is musl's libc and its
	 * dynamic loader
	 */
	static const char *const names[] = { "libc.so", "libc.so.[0-9]", "libc-[0-9]*.so",
					     "ld-musl-*.so.1", "libc.musl-*.so.1" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!fnmatch(names[i], name, 0))
			return true;
	return false;
}
