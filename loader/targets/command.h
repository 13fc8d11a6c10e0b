/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <sys/types.h>

#include "../../core/types.h"

/*
 * COMMAND: forked early, so that its pid can be recorded from its first
 * instruction on, and executed when recording is ready.
 *
 *	command_start()		child exists, waits, owns COMMAND's user and signals
 *	...			set recording up for c.pid
 *	command_go()		child executes; or says why it can't
 *	command_wait()		status to pass on
 *
 * Should the recorder end before command_go(), the child ends without a word.
 */
struct command {
	pid_t pid; /* 0: none */
	int fd; /* while it waits: a byte lets it run, closing it ends it; else -1 */
};

/* A command that is not there: what command_deinit() may always be given. */
#define COMMAND_NONE ((struct command){ .pid = 0, .fd = -1 })

/**
 * command_start() - fork COMMAND and let it wait
 * @argv:	NULL-terminated; borrowed
 * @c:		the waiting child; end it with command_deinit()
 *
 * Under sudo the child becomes the user who called sudo, with his groups and HOME.
 * Signal mask and handlers are those of the moment: call this before changing them.
 *
 * Return: 0 or a negative errno.
 */
int command_start(char *const *argv, struct command *c);

/**
 * command_go() - execute it
 *
 * Return: 0, or what the child met: -ENOENT, -EACCES, ...; it has ended then and
 * command_exit_status() is the exit status to use. -ECHILD: it was killed while waiting.
 */
int command_go(struct command *c);

/* Exit status for what command_go() returned: 126, or 127 for -ENOENT; as env(1). */
int command_exit_status(int err);

/**
 * command_wait() - wait for its end
 * @status:	exit status to pass on: its own, or 128 + the signal that ended it
 *
 * Return: 0, -EINTR (a signal came to the caller), or -ECHILD.
 */
int command_wait(struct command *c, int *status);

/* Closes what is open; a child that still waits ends, and is waited for. */
void command_deinit(struct command *c);
