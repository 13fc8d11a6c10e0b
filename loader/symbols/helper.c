/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * The recorder's side of the helper. The helper answers requests in order, so it is always working
 * on the oldest request.
 */

#include "helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"

#define MAX_ASKED 64

struct asked {
	u32 kind, module;
	u64 addr, since_ns;
};

struct helper {
	pid_t pid; /* 0: none */
	int fd;
	u32 generation, n_starts;
	struct asked asked[MAX_ASKED]; /* oldest first */
	u32 n_asked;
	pid_t dying[HELPER_MAX_STARTS];
	u32 n_dying;
	u64 dead_cpu_ns;
	struct {
		struct helper_answer answer;
		char text[HELPER_MAX_PACKET];
	} packet;
};

int helper_new(struct helper **helper)
{
	struct helper *h = calloc(1, sizeof(*h));

	if (!h)
		return -ENOMEM;
	h->fd = -1;
	h->generation = 1;
	*helper = h;
	return 0;
}

/*
 * Reaps killed helpers that have ended. Does not wait for the others, because a helper that hangs
 * in a file system can't be killed; init reaps such a helper after the recorder exits.
 */
static void reap(struct helper *h)
{
	struct rusage used;
	u32 n = 0;

	for (u32 i = 0; i < h->n_dying; i++) {
		pid_t r = wait4(h->dying[i], NULL, WNOHANG, &used);

		if (!r)
			h->dying[n++] = h->dying[i];
		else if (r > 0)
			h->dead_cpu_ns +=
				(u64)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_S +
				(u64)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ull;
	}
	h->n_dying = n;
}

static void stop(struct helper *h)
{
	if (!h->pid)
		return;
	kill(h->pid, SIGKILL);
	h->dying[h->n_dying++] = h->pid;
	h->pid = 0;
	close(h->fd);
	h->fd = -1;
	h->generation = h->n_starts == HELPER_MAX_STARTS ? 0 : h->generation + 1;
}

void helper_free(struct helper **helper)
{
	struct helper *h = *helper;

	*helper = NULL;
	if (!h)
		return;
	stop(h);
	for (int i = 0; i < 50 && h->n_dying; i++) {
		reap(h);
		if (h->n_dying)
			poll(NULL, 0, 1);
	}
	free(h);
}

u32 helper_generation(const struct helper *h)
{
	return h->generation;
}

static int start(struct helper *h)
{
	int pair[2];

	if (h->pid)
		return 0;
	if (!h->generation || h->n_starts == HELPER_MAX_STARTS)
		return -ENOSYS;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	h->n_starts++;
	h->pid = fork();
	if (!h->pid)
		helper_child(pair[1]);
	close(pair[1]);
	if (h->pid < 0) {
		h->pid = 0;
		h->generation = 0;
		close(pair[0]);
		return -ENOSYS;
	}
	h->fd = pair[0];
	return 0;
}

static int send_ask(struct helper *h, struct helper_ask *ask, size_t len, const int *fds, u32 n_fds)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = {};
	struct iovec part = { ask, len };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };
	int err;

	if (h->n_asked == MAX_ASKED)
		return -EAGAIN;
	err = start(h);
	if (err)
		return err;
	if (n_fds) {
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(n_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, n_fds * sizeof(int));
	}
	/* Ignore the error if the helper has died, because helper_poll() detects that. */
	if (sendmsg(h->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -EAGAIN;
	h->asked[h->n_asked++] =
		(struct asked){ ask->kind, ask->module, ask->addr, monotonic_ns() };
	return 0;
}

int helper_open(struct helper *h, u32 module, int fd, int root_fd, const char *path,
		const char *fetched)
{
	struct helper_ask ask = { .kind = HELPER_OPEN, .module = module, .has_root = root_fd >= 0 };
	int fds[2] = { fd, root_fd };

	size_t len;

	snprintf(ask.path, HELPER_MAX_PATH, "%s", path);
	len = strlen(ask.path) + 1;
	snprintf(ask.path + len, HELPER_MAX_PATH, "%s", fetched ? fetched : "");
	len += strlen(ask.path + len) + 1;
	return send_ask(h, &ask, offsetof(struct helper_ask, path) + len, fds,
			root_fd >= 0 ? 2 : 1);
}

int helper_lines(struct helper *h, u32 module, u64 addr)
{
	struct helper_ask ask = { .kind = HELPER_LINES, .module = module, .addr = addr };

	return send_ask(h, &ask, offsetof(struct helper_ask, path), NULL, 0);
}

static void take_fds(struct msghdr *m, int fds[2])
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	size_t n;

	fds[0] = fds[1] = -1;
	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return;
	n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(c), (n < 2 ? n : 2) * sizeof(int));
}

/*
 * Receives the answer to the oldest request. Return: 1: received; 0: there is no answer yet; -EIO:
 * the helper has died.
 */
static int receive(struct helper *h, int fds[2])
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec part = { &h->packet, sizeof(h->packet) - 1 };
	struct msghdr m = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };
	struct helper_answer *a = &h->packet.answer;
	ssize_t n = recvmsg(h->fd, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0)
		return -EIO;
	take_fds(&m, fds);
	if ((size_t)n >= sizeof(*a) && a->text_len == (size_t)n - sizeof(*a) && h->n_asked &&
	    a->kind == h->asked[0].kind && a->module == h->asked[0].module &&
	    a->addr == h->asked[0].addr) {
		h->packet.text[a->text_len] = 0;
		a->why[sizeof(a->why) - 1] = 0;
		return 1;
	}
	for (int i = 0; i < 2; i++)
		cleanup_close(&fds[i]);
	return -EIO;
}

/* Ends the helper if it has died, or takes too long, while handling the oldest request. */
static void give_up(struct helper *h, const char *why, helper_fn *fn, void *data)
{
	struct asked asked[MAX_ASKED];
	u32 n = h->n_asked;

	memcpy(asked, h->asked, sizeof(asked));
	h->n_asked = 0;
	stop(h);
	for (u32 i = 0; i < n; i++) {
		struct helper_answer a = { .kind = asked[i].kind,
					   .module = asked[i].module,
					   .addr = asked[i].addr,
					   .err = i ? -ESTALE : -EIO };
		int none[2] = { -1, -1 };

		snprintf(a.why, sizeof(a.why), "%s", i ? "" : why);
		fn(&a, "", none, data);
	}
}

void helper_poll(struct helper *h, int wait_ms, helper_fn *fn, void *data)
{
	int fds[2], r = 1;

	reap(h);
	if (!h->pid)
		return;
	if (wait_ms && h->n_asked)
		poll(&(struct pollfd){ .fd = h->fd, .events = POLLIN }, 1, wait_ms);
	while (r > 0 && (r = receive(h, fds)) > 0) {
		h->n_asked--;
		memmove(h->asked, h->asked + 1, h->n_asked * sizeof(*h->asked));
		if (h->n_asked)
			h->asked[0].since_ns = monotonic_ns();
		fn(&h->packet.answer, h->packet.text, fds, data);
	}
	if (r < 0)
		give_up(h, "reading the debug information failed", fn, data);
	else if (h->n_asked && monotonic_ns() - h->asked[0].since_ns > HELPER_PATIENCE_NS)
		give_up(h, "reading the debug information took too long", fn, data);
}

u64 helper_cpu_ns(const struct helper *h)
{
	clockid_t clock;

	if (!h->pid || clock_getcpuclockid(h->pid, &clock))
		return h->dead_cpu_ns;
	return h->dead_cpu_ns + clock_ns(clock);
}
