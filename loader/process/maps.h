/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Parses /proc/PID/maps, line by line. The target chooses the paths: they may contain any byte
 * except NUL and newline, and be up to 4096 bytes long.
 */

#include "../../core/types.h"

enum maps_prot { MAPS_READ = 1, MAPS_WRITE = 2, MAPS_EXEC = 4, MAPS_SHARED = 8 };

struct maps_entry {
	u64 start_addr, end_addr, file_off, inode;
	u32 dev_major, dev_minor;
	u32 prot; /* enum maps_prot */
	const char *path; /* points into the line; not terminated, still escaped; "" for none */
	size_t path_len;
};

/**
 * parse_maps_line() - parse a line of /proc/PID/maps
 * @line:	the line, without its newline; need not be terminated
 * @len:	bytes
 * @e:		the mapping
 *
 * Return: 0 or -EBADMSG.
 */
int parse_maps_line(const char *line, size_t len, struct maps_entry *e);

/**
 * maps_path_unescape() - restore the path as the file system has it
 * @path:	the path as the kernel writes it: a newline is "\012", and " (deleted)" may be
 *	appended
 * @dst:	at least @len + 1 bytes; terminated
 *
 * The kernel does not escape these texts themselves, so a file name that really contains "\012"
 * or " (deleted)" is restored wrongly. Use the path only for display or to find a file, and check
 * the device and inode of the file that was found.
 *
 * Return: whether " (deleted)" was removed.
 */
bool maps_path_unescape(const char *path, size_t len, char *dst);

/**
 * maps_each() - call a function for each mapping of a process
 * maps_each_exec() - call a function for each executable mapping
 * @pid:	pid in the recorder's PID namespace
 * @fn:		called for each mapping; a non-zero return ends the loop
 *
 * Lines that can't be parsed are skipped.
 *
 * Return: the last result of @fn; 0 for a process without mappings, such as a kernel thread;
 * -ESRCH (the process has exited), -EACCES, -ENOMEM.
 */
int maps_each(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data);
int maps_each_exec(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data);

#define MAPS_MAX_RESERVED (512ull << 20) /* V8's kMaximalCodeRangeSize, 12.4 */

/**
 * maps_each_code() - call a function for each executable mapping and each range reserved by a JIT
 * @pid:	pid in the recorder's PID namespace
 * @fn:		called for each range, in order of address; a non-zero return ends the loop
 *
 * JITs reserve memory with PROT_NONE and make it executable piece by piece. Reserved memory that
 * is adjacent to anonymous executable memory is passed as code, at most MAPS_MAX_RESERVED on
 * either side. Otherwise the first stacks through each new piece of code would end in that piece,
 * because the kernel's event for a new mapping arrives after the first samples.
 *
 * Return: as maps_each().
 */
int maps_each_code(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data);
