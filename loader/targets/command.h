/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include <sys/types.h>

#include "../../core/types.h"

/*
 * The child for COMMAND is forked early, so that its pid is known, and executes COMMAND when
 * recording is ready. Therefore COMMAND is recorded from its first instruction on.
 *
 *	command_start()		child exists, waits, has COMMAND's user and signals
 *	...			set up recording for c.pid
 *	command_go()		child executes COMMAND or reports an error
 *	command_wait()		exit status to return
 *
 * If the recorder exits before command_go(), the child exits silently.
 */
struct command {
	pid_t pid; /* 0: none */
	int fd; /* while the child waits, a socket to the child: a byte lets the child execute
		 * COMMAND, and close() ends the child; otherwise -1 */
};

/* Stands for no command. command_deinit() accepts this value. */
#define COMMAND_NONE ((struct command){ .pid = 0, .fd = -1 })

/**
 * command_start() - fork a child that waits before it executes COMMAND
 * @argv:	NULL-terminated; borrowed
 * @is_muted:	standard input, output and error of COMMAND are /dev/null
 * @c:		the waiting child; end it with command_deinit()
 *
 * Under sudo the child switches to the user that called sudo, with that user's groups and HOME. The
 * child inherits the current signal mask and handlers, so call this before changing them.
 *
 * Return: 0 or a negative errno.
 */
int command_start(char *const *argv, bool is_muted, struct command *c);

/**
 * command_go() - let the child execute COMMAND
 *
 * Return: 0, or the child's error: -ENOENT, -EACCES, ...; the child has then exited, and
 * command_exit_status() gives the exit status to use. -ECHILD: the child was killed while waiting.
 */
int command_go(struct command *c);

/* Exit status for an error of command_go(): 126, or 127 for -ENOENT, like env(1). */
int command_exit_status(int err);

/**
 * command_wait() - wait until COMMAND exits
 * @status:	receives the exit status to return: the exit status of COMMAND, or 128 + the signal
 *	that killed COMMAND
 *
 * Return: 0, -EINTR (the caller received a signal), or -ECHILD.
 */
int command_wait(struct command *c, int *status);

/* Return: whether COMMAND handles or ignores signal @number; false if that can't be read. */
bool command_catches(const struct command *c, int number);

/* Closes the socket; ends and reaps a child that is still waiting. */
void command_deinit(struct command *c);
