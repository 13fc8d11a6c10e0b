/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * The pinned rings of a recording with --flight: a directory in a BPF file system (bpf_fs.h)
 * that only its owner can access.
 *
 *	/sys/fs/bpf/unspool-PID-START/{rings,control,names}
 *
 * START is the start time of the recorder in ticks since boot; this time distinguishes
 * recorders with the same pid. A killed recorder leaves the directory behind, unless the
 * recorder had mounted a private file system for it.
 */

#include "rings.h"

#include <limits.h>

struct pinned {
	char dir[PATH_MAX];
	u32 pid; /* of the recorder */
	u64 start_ticks; /* start time of the recorder, since boot */
	bool is_alive; /* whether it ran when pinned_list() was called */
	int fs_fd; /* file descriptor of this process's own BPF file system, or -1 */
};

/**
 * pinned_make() - pin the maps of a flight recorder
 * @out:	undo with pinned_remove()
 *
 * Return: 0 or a negative errno.
 */
int pinned_make(const struct rings_fds *fds, struct pinned *out);
void pinned_remove(const struct pinned *p);

/**
 * pinned_list() - list the recordings
 * @out:	array of recordings; the caller frees it
 *
 * Skips directories that another user owns or can write to.
 *
 * Return: 0 or a negative errno.
 */
int pinned_list(struct pinned **out, size_t *n);

/* Return: whether the recorder of these rings still runs. */
bool pinned_is_alive(const struct pinned *p);

/**
 * pinned_open() - map the rings of a recording
 * @out:	unmap with rings_unmap()
 *
 * Return: 0; -EBADMSG: the maps are not rings; -EPROTO: the rings are of another build of
 *         unspool; or another negative errno.
 */
int pinned_open(const struct pinned *p, struct rings *out);
