/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Lines and inlined functions of a Go program, from the linker's table (inspect/go/). The
 * recorder reads the table itself, with bounds checks, without the helper.
 */

#include "lines_cache.h"

struct module_go;

/* @fd: program file, borrowed. Return: 0, -ENOENT (not a Go program) or an error of reading. */
int module_go_open(struct module_go **g, int fd);
void module_go_free(struct module_go **g);

/* Adds the frames of an address to the cache. Return: false if the address has no frames. */
bool module_go_enter(const struct module_go *g, struct lines_cache *c, const struct lines_key *key);
