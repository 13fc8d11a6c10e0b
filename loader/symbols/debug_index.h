/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* The ELF files of a folder and its subfolders, by build id. */

#include "../../inspect/elf/elf_file.h"

struct debug_index;

/*
 * Lists no file yet. @dir_fd: borrowed; must outlive @x. @max_files, @max_depth: limits of files
 * and folders, and of nested folders. Return: 0 or -ENOMEM.
 */
int debug_index_new(struct debug_index **x, int dir_fd, u32 max_files, u32 max_depth);
void debug_index_free(struct debug_index **x);

/**
 * debug_index_open() - open the file with a build id
 * @build_id:	hex; hostile
 *
 * Tries the paths of build-id folders first. Otherwise reads the build ids of all files, once. Of
 * several files, prefers one with lines, then one with .symtab.
 *
 * Return: 0, -ENOENT, or -ENOMEM.
 */
int debug_index_open(struct debug_index *x, const char *build_id, struct elf_file **f);
