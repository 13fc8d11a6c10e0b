/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "elf_file.h"

/* Where a file says that its debug file is: .gnu_debuglink (gdb's manual, "Separate Debug Files").
 */
struct debug_link {
	char name[256]; /* without a slash */
	u32 crc; /* of the whole debug file */
};

/* 0, -ENOENT, or -ENOEXEC for a name that is none. */
int debug_link_read(struct elf_file *f, struct debug_link *link);

/* Where dwz(1) put what several files have in common: .gnu_debugaltlink (dwz 0.15). */
struct debug_altlink {
	char name[1024]; /* a path, or from the folder of the file that has it */
	char build_id[2 * 64 + 1]; /* hex, lower case */
};

/* 0, -ENOENT, or -ENOEXEC when it is none. */
int debug_altlink_read(struct elf_file *f, struct debug_altlink *link);

/* The checksum of a file. 0, -EFBIG for more than @max_len bytes, or what reading gave. */
int debug_link_crc(int fd, u64 max_len, u32 *crc);
