/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * A private folder, and the processes that were started to work in it. A child of
 * this process waits for its end, however it ends (SIGKILL too), and then kills those
 * processes and removes the folder.
 */

#include <limits.h>
#include <sys/types.h>

#define JANITOR_SLOTS 8

struct janitor {
	pid_t pid; /* 0: none */
	int fd; /* closed with this process: that is the sign */
	char folder[PATH_MAX]; /* mode 0700 */
};

/**
 * janitor_open() - make a folder in $TMPDIR or /tmp, and who removes it
 * @out:	ends with janitor_close()
 *
 * Return: 0 or a negative errno.
 */
int janitor_open(struct janitor *out);

/**
 * janitor_note() - say which process group works in a slot
 * @slot:	below JANITOR_SLOTS
 * @group:	0: it has ended
 */
void janitor_note(struct janitor *j, unsigned int slot, pid_t group);

/**
 * janitor_close() - remove the folder now; fine for what was never opened
 *
 * Return: 0, or -EIO when something of it could not be removed.
 */
int janitor_close(struct janitor *j);
