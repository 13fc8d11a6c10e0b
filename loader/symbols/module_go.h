/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Lines and inlined functions of a Go program. They come from the table that its linker
 * made (inspect/go/), which is read here, within bounds, and not by the helper.
 */

#include "lines_cache.h"

struct module_go;

/* @fd: the program's file, borrowed. 0, -ENOENT (it is no program of Go's) or what reading gave. */
int module_go_open(struct module_go **g, int fd);
void module_go_free(struct module_go **g);

/* Enters what is known of an address. False: nothing is. */
bool module_go_enter(const struct module_go *g, struct lines_cache *c, const struct lines_key *key);
