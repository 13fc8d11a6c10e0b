/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Detects the runtime of a process from its executable file mappings. Each file is
 * inspected only once, even if many processes map it.
 */

#include "../../core/types.h"

struct runtime_info {
	/* "Node.js 24.21.0", "V8 13.6", ".NET", "Python 3.12"; "native"; "?" if unreadable */
	char name[64];
	const char
		*frames; /* what its frames get: "names, lines", "native only"; "?" if unreadable */
	bool has_runtime; /* a runtime was detected, so the name is neither "native" nor "?" */
	bool is_supported; /* the runtime's frames can be named, as native frames always can */
	char why_not[160]; /* if the runtime is not supported, the reason; if it is supported, "" or
			    * a caveat */
};

struct runtime_cache;

int runtime_cache_new(struct runtime_cache **cache);
void runtime_cache_free(struct runtime_cache **cache);

/**
 * runtime_detect() - detect the runtime of a process
 * @cache:	identifies files by device, inode, size and time of change
 * @info:	written on success; an unreadable process is a success with name "?"
 *
 * Return: 0, -ESRCH if the process has exited, or -ENOMEM.
 */
int runtime_detect(struct runtime_cache *cache, int pid, struct runtime_info *info);
