/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * (Draft by the lead, who programs against it: keep the calls, refine the rest.)
 *
 * The files that processes map, shared by all of them: identity, symbols.
 */

#include "../../inspect/elf/elf_file.h"
#include "../life/process.h"

struct modules;
struct module;

int modules_new(struct modules **ms);
void modules_free(struct modules **ms);

/**
 * modules_id() - the module behind a mapping of a process
 * @map:	its module field remembers the answer
 *
 * Opens the file the first time (device, inode, mtime, size are the identity).
 * "[vdso]" has an id of its own. Anonymous memory has none.
 *
 * Return: the id, dense from 1; 0 when there is no file, or it can't be opened.
 */
u32 modules_id(struct modules *ms, const struct process *p, struct mapping *map);

/* NULL for 0 and unknown ids. An id is never reused. */
const struct module *modules_get(const struct modules *ms, u32 id);
const char *module_name(const struct module *m); /* for people: basename or path */
const char *module_build_id(const struct module *m); /* hex or NULL */
bool module_is_libc(const struct module *m);

/* The module as an ELF file, to be freed by the caller; 0 or a negative errno. */
int modules_open_elf(struct modules *ms, u32 id, struct elf_file **elf);

/**
 * modules_symbol() - the function at an offset of a module's file
 * @name:	SYMBOLS_NAME_LEN bytes
 *
 * Return: 0, -ENOENT (no symbol there), or a negative errno.
 */
int modules_symbol(struct modules *ms, u32 id, u64 file_off, char *name, size_t len, u64 *off);
