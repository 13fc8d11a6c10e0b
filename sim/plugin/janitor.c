// SPDX-License-Identifier: BSD-2-Clause

#include "janitor.h"

#include "../../inspect/util/cleanup.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

struct note {
	unsigned int slot;
	pid_t group;
};

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type == FTW_DP || type == FTW_D)
		rmdir(path);
	else
		unlink(path);
	return 0;
}

/* In the child process, closes all inherited files except the pipe. */
static _Noreturn void wait_and_clean(int fd, const char *folder)
{
	pid_t groups[JANITOR_SLOTS] = { 0 };
	struct note note;
	struct stat st;

	setsid();
	dup2(fd, STDIN_FILENO);
	close_range(STDIN_FILENO + 1, ~0U, 0);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (recv(STDIN_FILENO, &note, sizeof(note), 0) == sizeof(note))
		groups[note.slot % JANITOR_SLOTS] = note.group;
	for (unsigned int i = 0; i < JANITOR_SLOTS; i++)
		if (groups[i] > 0)
			kill(-groups[i], SIGKILL);
	nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	_exit(lstat(folder, &st) == 0);
}

int janitor_open(struct janitor *out)
{
	const char *tmp = getenv("TMPDIR");
	_cleanup_close_ int in = -1, fd = -1;
	struct janitor j = { .pid = 0 };
	int fds[2], err;

	if (snprintf(j.folder, sizeof(j.folder), "%s/unspool-sim-XXXXXX",
		     tmp && *tmp == '/' ? tmp : "/tmp") >= (int)sizeof(j.folder))
		return -ENAMETOOLONG;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -errno;
	in = fds[0];
	fd = fds[1];
	if (!mkdtemp(j.folder))
		return -errno;
	j.pid = fork();
	if (j.pid < 0) {
		err = -errno;
		rmdir(j.folder);
		return err;
	}
	if (!j.pid) {
		close(fd);
		wait_and_clean(in, j.folder);
	}
	j.fd = TAKE_FD(fd);
	*out = j;
	return 0;
}

void janitor_note(struct janitor *j, unsigned int slot, pid_t group)
{
	struct note note = { slot, group };

	/* Errors are ignored, because nothing can be done if the janitor has died. */
	send(j->fd, &note, sizeof(note), MSG_NOSIGNAL);
}

int janitor_close(struct janitor *j)
{
	int status = 0;

	if (!j->pid)
		return 0;
	close(j->fd);
	while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR)
		;
	*j = (struct janitor){ .pid = 0 };
	return status ? -EIO : 0;
}
