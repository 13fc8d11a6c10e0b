/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Which runtime a process is, from the files that it has mapped executable. A
 * file is looked into once, however many processes have it mapped.
 */

#include "../../core/types.h"

struct runtime_info {
	char name[64]; /* "Node.js 24.21.0", "V8 13.6", ".NET"; "native"; "?" if unreadable */
	bool has_runtime; /* a name other than "native" and "?" */
	bool is_supported; /* its frames can be named; native frames always are */
	char why_not[160]; /* "" when supported, or what is in doubt then */
};

struct runtime_cache;

int runtime_cache_new(struct runtime_cache **cache);
void runtime_cache_free(struct runtime_cache **cache);

/**
 * runtime_detect() - the runtime of a process
 * @cache:	remembers files by device, inode, size and time of change
 * @info:	written on success; an unreadable process is a success with name "?"
 *
 * Return: 0, -ESRCH when it is gone, -ENOMEM.
 */
int runtime_detect(struct runtime_cache *cache, int pid, struct runtime_info *info);
