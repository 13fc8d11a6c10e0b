/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A private folder, and the processes that work in this folder. A child process, the janitor,
 * waits until this process ends in any way (even by SIGKILL). Then the janitor kills the
 * processes that work in the folder, and removes the folder.
 */

#include <limits.h>
#include <sys/types.h>

#define JANITOR_SLOTS 8

struct janitor {
	pid_t pid; /* 0: none */
	int fd; /* closed when this process ends, which wakes the janitor */
	char folder[PATH_MAX]; /* mode 0700 */
};

/**
 * janitor_open() - make a folder in $TMPDIR or /tmp, and start the janitor
 * @out:	freed by janitor_close()
 *
 * Return: 0 or a negative errno.
 */
int janitor_open(struct janitor *out);

/**
 * janitor_note() - set the process group that works in a slot
 * @slot:	below JANITOR_SLOTS
 * @group:	0: no group works in the slot now
 */
void janitor_note(struct janitor *j, unsigned int slot, pid_t group);

/**
 * janitor_close() - remove the folder now; a no-op if it was never opened
 *
 * Return: 0, or -EIO if a part of the folder could not be removed.
 */
int janitor_close(struct janitor *j);
