/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * Where a recording with --flight leaves its rings: a directory of its own in a BPF
 * file system (bpf_fs.h), for its owner alone.
 *
 *	/sys/fs/bpf/unspool-PID-START/{rings,control,names}
 *
 * START is when that process started, in ticks since boot, so that another one with its
 * pid is not taken for it. A recorder that was killed leaves the directory behind, unless
 * it had a file system of its own.
 */

#include "rings.h"

#include <limits.h>

struct pinned {
	char dir[PATH_MAX];
	u32 pid; /* of the recorder */
	u64 start_ticks; /* of it, since boot */
	bool is_alive; /* when it was listed */
	int fs_fd; /* this process's own file system; -1: it has none */
};

/**
 * pinned_make() - pin the maps of this process
 * @out:	pinned_remove() undoes it
 *
 * Return: 0 or a negative errno.
 */
int pinned_make(const struct rings_fds *fds, struct pinned *out);
void pinned_remove(const struct pinned *p);

/**
 * pinned_list() - what recordings there are
 * @out:	to be freed
 *
 * Directories of another user, or that others may write to, are passed over.
 *
 * Return: 0 or a negative errno.
 */
int pinned_list(struct pinned **out, size_t *n);

/* Does the recorder run, now? */
bool pinned_is_alive(const struct pinned *p);

/**
 * pinned_open() - map the rings of a recording
 * @out:	ends with rings_unmap()
 *
 * Return: 0, -EBADMSG: there is something else; -EPROTO: another build of unspool made
 * them; or a negative errno.
 */
int pinned_open(const struct pinned *p, struct rings *out);
