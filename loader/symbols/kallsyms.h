/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The kernel's functions by address. They are read from /proc/kallsyms when the first name is
 * needed. The table is compact: 4 bytes of address per function, and the names in blocks compressed
 * with zstd (Linux 6.18 with 122,000 functions: below 2 MB).
 *
 * Modules and BPF programs that are loaded later have no names.
 */

#include "../../core/types.h"

struct kallsyms;

/**
 * kallsyms_new() - create a table; does not read names yet
 * @path:	"/proc/kallsyms", or a test file of that format; borrowed
 */
int kallsyms_new(struct kallsyms **k, const char *path);
void kallsyms_free(struct kallsyms **k);

/* Reads the names now, which takes 0.2 s. Return: 0, or a negative errno if there are no names. */
int kallsyms_preload(struct kallsyms *k);

/**
 * kallsyms_lookup() - find the function at a kernel address
 * @addr:	address; for a return address, subtract one
 * @name:	receives the name, such as "tcp_sendmsg" or "nf_hook [nf_tables]"; at least one byte
 * @len:	size of @name
 * @off:	receives the offset from the function's first byte
 *
 * If an address has several names, the name with the fewest leading underscores is chosen; of
 * several such names, a global one is preferred, and then the shortest. A function ends where the
 * next symbol begins; the last function of the kernel, or of a module, ends at the end of its page.
 *
 * Return: 0, -ENOENT (no function there), -EACCES (the kernel hides addresses: kptr_restrict
 * is set, or CAP_SYSLOG is missing), or an error of reading.
 */
int kallsyms_lookup(struct kallsyms *k, u64 addr, char *name, size_t len, u64 *off);

/* Bytes of memory in use; number of functions. */
size_t kallsyms_memory(const struct kallsyms *k);
u32 kallsyms_count(const struct kallsyms *k);

#define KALLSYMS_MAX_NAME 512

struct kallsyms_line {
	u64 addr;
	char type;
	char name[KALLSYMS_MAX_NAME]; /* followed by " [module]" */
};

/* Parses "ffffffffc0201000 t name\t[module]", without newline. Return: 0 or -EBADMSG. */
int parse_kallsyms_line(const char *line, size_t len, struct kallsyms_line *l);
