/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "elf_file.h"

/* The name of a separate debug file: .gnu_debuglink (gdb's manual, "Separate Debug Files"). */
struct debug_link {
	char name[256]; /* without a slash */
	u32 crc; /* checksum of the whole debug file */
};

/* Reads .gnu_debuglink. Return: 0, -ENOENT, or -ENOEXEC for an invalid name. */
int debug_link_read(struct elf_file *f, struct debug_link *link);

/* The file of debug information shared by several files: .gnu_debugaltlink (dwz 0.15). */
struct debug_altlink {
	char name[1024]; /* a path; a relative one starts at the referring file's directory */
	char build_id[2 * 64 + 1]; /* hex, lower case */
};

/* Reads .gnu_debugaltlink. Return: 0, -ENOENT, or -ENOEXEC for an invalid section. */
int debug_altlink_read(struct elf_file *f, struct debug_altlink *link);

/*
 * Computes the checksum of a file. Return: 0, -EFBIG for more than @max_len bytes, or the errno of
 * reading.
 */
int debug_link_crc(int fd, u64 max_len, u32 *crc);
