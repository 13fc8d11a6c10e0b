/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Starts programs that tests inspect while they run. */

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

/* Starts a child and waits until it has executed @argv; child_stop() ends it. */
static inline pid_t child_start(char *const *argv)
{
	int done[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe2(done, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		execv(argv[0], argv);
		_exit(127);
	}
	close(done[1]);
	assert_int_equal(read(done[0], &c, 1), 0); /* a successful exec closes the pipe */
	close(done[0]);
	return pid;
}

static inline void child_stop(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}
