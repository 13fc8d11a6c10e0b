/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The handshake uses a pair of sockets, so the child need not be traced. The sockets are
 * close-on-exec. Therefore COMMAND inherits only descriptors that unspool itself inherited, and the
 * parent reads end of file when exec has succeeded.
 */

#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/cli.h"
#include "../process/caller.h"

/* Returns 0 or a negative errno. */
static int mute(void)
{
	_cleanup_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	return null < 0 ? -errno : 0;
}

_Noreturn static void child(char *const *argv, bool is_muted, int fd)
{
	int err = caller_become();
	ssize_t n;
	char go;

	do {
		n = recv(fd, &go, 1, 0);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(CLI_LATE_FAILURE);
	if (!err && is_muted)
		err = mute();
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	send(fd, &err, sizeof(err), MSG_NOSIGNAL);
	_exit(command_exit_status(err));
}

int command_start(char *const *argv, bool is_muted, struct command *c)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -errno;
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		close(ours); /* otherwise this child would keep the socket open, and not detect that
			      * the recorder exits */
		child(argv, is_muted, theirs);
	}
	*c = (struct command){ pid, TAKE_FD(ours) };
	return 0;
}

int command_go(struct command *c)
{
	_cleanup_close_ int fd = TAKE_FD(c->fd);
	ssize_t n = send(fd, "", 1, MSG_NOSIGNAL);
	int err = n == 1 ? 0 : -ECHILD;

	while (!err) {
		n = recv(fd, &err, sizeof(err), MSG_WAITALL);
		if (n == 0)
			return 0; /* exec has closed the socket, so it has succeeded */
		if (n < 0 && errno != EINTR)
			err = -errno;
	}
	waitpid(c->pid, NULL, 0);
	c->pid = 0;
	return err;
}

int command_exit_status(int err)
{
	return err == -ENOENT ? CLI_NOT_FOUND : CLI_NOT_EXECUTABLE;
}

int command_wait(struct command *c, int *status)
{
	int wait_status;

	if (!c->pid)
		return -ECHILD;
	if (waitpid(c->pid, &wait_status, 0) != c->pid)
		return -errno;
	c->pid = 0;
	*status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
	return 0;
}

bool command_catches(const struct command *c, int number)
{
	u64 bit = 1ull << (number - 1), caught = 0, ignored = 0;
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], line[256];

	snprintf(path, sizeof(path), "/proc/%d/status", c->pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "SigCgt: %llx", &caught);
		sscanf(line, "SigIgn: %llx", &ignored);
	}
	return (caught | ignored) & bit;
}

void command_deinit(struct command *c)
{
	if (c->fd >= 0) {
		close(c->fd);
		waitpid(c->pid, NULL, 0);
	}
	*c = COMMAND_NONE;
}
