// SPDX-License-Identifier: BSD-2-Clause

/*
 * Writes do not block: poll() waits until the pipe has room or a stop is requested.
 * O_NONBLOCK would apply to the open file description, which other commands of a shell share,
 * so the pipe is opened again. To a file that can't be opened again (a socket), each write is
 * at most as long as the room that poll() guarantees.
 */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"

struct stream {
	int fd;
	size_t most; /* maximum length of a write in bytes */
	const struct out_stop *stop;
	bool is_stopped;
};

/* Return: 0, -ECANCELED when a stop was requested, or the errno of poll(2). */
static int await_room(struct stream *s)
{
	struct pollfd fds[] = { { .fd = s->fd, .events = POLLOUT },
				{ .fd = s->stop->fd, .events = POLLIN } };

	while (!s->is_stopped) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[1].revents)
			s->is_stopped = s->stop->is_asked(s->stop->data);
		else if (fds[0].revents)
			return 0;
	}
	return -ECANCELED;
}

/* Writes all bytes and returns @len; on failure returns 0, which sets the stream's error. */
static ssize_t write_all(void *cookie, const char *buf, size_t len)
{
	struct stream *s = cookie;
	size_t done = 0;

	while (done < len) {
		size_t part = len - done < s->most ? len - done : s->most;
		int err = await_room(s);
		ssize_t n;

		if (err) {
			errno = -err;
			return 0;
		}
		n = write(s->fd, buf + done, part);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return 0;
		done += n > 0 ? (size_t)n : 0;
	}
	return (ssize_t)len;
}

static int close_stream(void *cookie)
{
	struct stream *s = cookie;

	close(s->fd);
	free(s);
	return 0;
}

static int open_again(struct stream *s, int fd)
{
	char path[32];
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode))
		s->fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	s->most = SSIZE_MAX;
	if (s->fd >= 0)
		return 0;
	if (!S_ISREG(st.st_mode))
		s->most = PIPE_BUF;
	s->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return s->fd < 0 ? -errno : 0;
}

int out_stream_new(FILE **stream, int fd, const struct out_stop *stop)
{
	const cookie_io_functions_t io = { .write = write_all, .close = close_stream };
	_cleanup_free_ struct stream *s = calloc(1, sizeof(*s));
	FILE *f;
	int err;

	if (!s)
		return -ENOMEM;
	*s = (struct stream){ .fd = -1, .stop = stop };
	err = open_again(s, fd);
	if (err)
		return err;
	f = fopencookie(s, "w", io);
	if (!f) {
		close(s->fd);
		return -ENOMEM;
	}
	TAKE_PTR(s);
	*stream = f;
	return 0;
}
