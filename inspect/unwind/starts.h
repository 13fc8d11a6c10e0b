/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The functions of an ELF file whose names are unknown, by address. Each FDE of .eh_frame has the
 * start and the end of one function, or of one part of a function that the compiler has split.
 * Strip(1) does not remove .eh_frame.
 */

#include "../elf/elf_file.h"

/* A file without a search table (.eh_frame_hdr) may have this number of FDEs: 1 MiB of memory. */
#define STARTS_MAX_LISTED (1u << 16)

struct starts;

/**
 * starts_open() - prepare a file for lookups
 * @s:		the new object, free with starts_free()
 * @fd:		open file; borrowed; may be closed afterwards
 *
 * @s takes about 40 KiB and one descriptor; it reads the file again at each lookup.
 *
 * Return: 0, -ENOENT (the file has no FDE, or too many for a file without a search table), or as
 * elf_file_open_fd().
 */
int starts_open(struct starts **s, int fd);
void starts_free(struct starts **s);

/**
 * starts_find() - find the function at an address
 * @addr:	link-time address; for a return address, subtract one
 * @start, @end:	receive link-time addresses
 *
 * Return: 0, -ENOENT (no FDE covers the address), -ENOEXEC (the FDE is broken) or the errno of
 * reading.
 */
int starts_find(struct starts *s, u64 addr, u64 *start, u64 *end);
