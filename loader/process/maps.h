/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * /proc/PID/maps, line by line. Paths are the target's choice: any byte but NUL
 * and newline, of any length up to 4096.
 */

#include "../../core/types.h"

enum maps_prot { MAPS_READ = 1, MAPS_WRITE = 2, MAPS_EXEC = 4, MAPS_SHARED = 8 };

struct maps_entry {
	u64 start_addr, end_addr, file_off, inode;
	u32 dev_major, dev_minor;
	u32 prot; /* enum maps_prot */
	const char *path; /* in the line, not terminated, as the kernel wrote it; "" for none */
	size_t path_len;
};

/**
 * parse_maps_line() - take a line of /proc/PID/maps apart
 * @line:	the line, without its newline; need not be terminated
 * @len:	bytes
 * @e:		the mapping
 *
 * Return: 0 or -EBADMSG.
 */
int parse_maps_line(const char *line, size_t len, struct maps_entry *e);

/**
 * maps_path_unescape() - the path as the file system has it
 * @path:	as the kernel wrote it: a newline is "\012", and " (deleted)" may follow
 * @dst:	at least @len + 1 bytes; terminated
 *
 * The kernel escapes nothing else, so a file that is really named "a\012" or
 * "a (deleted)" can't be told apart: a path is a name for people and a place to
 * look, what is found there has to be checked by device and inode.
 *
 * Return: whether " (deleted)" was taken off.
 */
bool maps_path_unescape(const char *path, size_t len, char *dst);

/**
 * maps_each() - every mapping of a process
 * maps_each_exec() - every executable one
 * @pid:	as the recorder sees it
 * @fn:		called for each; a non-zero return ends the loop
 *
 * Lines that can't be parsed are left out.
 *
 * Return: what @fn returned last, or 0, or -ESRCH (gone, or a kernel thread's pid
 * that has no mappings: 0), -EACCES, -ENOMEM.
 */
int maps_each(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data);
int maps_each_exec(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data);

#define MAPS_MAX_RESERVED (512ull << 20) /* V8's kMaximalCodeRangeSize, 12.4 */

/**
 * maps_each_code() - every executable mapping, and where a JIT is about to put code
 * @pid:	as the recorder sees it
 * @fn:		called for each, by address; a non-zero return ends the loop
 *
 * JITs reserve memory without rights and make it executable piece by piece: what of it
 * touches anonymous executable memory counts as code, MAPS_MAX_RESERVED on either side.
 * Else the first stacks through each new piece would end there, as it takes a while until
 * the kernel's word of it has come through.
 *
 * Return: as maps_each().
 */
int maps_each_code(u32 pid, int (*fn)(const struct maps_entry *e, void *data), void *data);
