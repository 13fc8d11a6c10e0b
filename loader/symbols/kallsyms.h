/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The kernel's functions by address, from /proc/kallsyms, which is read when the
 * first name is wanted. Kept compact: 4 bytes of address a function, and the names in
 * blocks that zstd has packed (Linux 6.18 with 122,000 functions: below 2 MB).
 *
 * Modules and BPF programs that are loaded later have no names.
 */

#include "../../core/types.h"

struct kallsyms;

/**
 * kallsyms_new() - nothing is read yet
 * @path:	"/proc/kallsyms", or a test's file of that form; borrowed
 */
int kallsyms_new(struct kallsyms **k, const char *path);
void kallsyms_free(struct kallsyms **k);

/* Reads them now: it takes a fifth of a second. 0, or why there will be no names. */
int kallsyms_preload(struct kallsyms *k);

/**
 * kallsyms_lookup() - the function at a kernel address
 * @addr:	address (of a return address: minus one)
 * @name:	"tcp_sendmsg", "nf_hook [nf_tables]"; at least one byte of room
 * @len:	its size
 * @off:	from the function's first byte
 *
 * Of several names of one address the one with fewest leading underscores, then a
 * global one, then the shortest. A function ends where the next symbol begins; the last
 * one of the kernel, or of a module, ends with its page.
 *
 * Return: 0, -ENOENT (nothing is known there), -EACCES (the kernel shows no addresses:
 * kptr_restrict, or CAP_SYSLOG is missing), or what reading gave.
 */
int kallsyms_lookup(struct kallsyms *k, u64 addr, char *name, size_t len, u64 *off);

/* Bytes that are held; functions that are known. */
size_t kallsyms_memory(const struct kallsyms *k);
u32 kallsyms_count(const struct kallsyms *k);

#define KALLSYMS_MAX_NAME 512

struct kallsyms_line {
	u64 addr;
	char type;
	char name[KALLSYMS_MAX_NAME]; /* with " [module]" behind it */
};

/* "ffffffffc0201000 t name\t[module]", without its newline. 0 or -EBADMSG. */
int parse_kallsyms_line(const char *line, size_t len, struct kallsyms_line *l);
