/* SPDX-License-Identifier: BSD-2-Clause */

#include "debuginfod.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../process/caller.h"

#define MAX_ID 128

struct running {
	pid_t pid; /* 0: free */
	int fd;
	u32 module;
	u64 since_ns;
	u32 len;
	char path[PATH_MAX]; /* the part of the output that was read so far */
};

struct debuginfod {
	struct running running[DEBUGINFOD_MAX_RUNNING];
	struct {
		u32 module;
		char id[MAX_ID];
	} waiting[DEBUGINFOD_MAX_WAITING]; /* oldest first */
	u32 n_waiting;
};

/* Whether the program is in a folder of $PATH. */
static bool is_installed(void)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];

	while (dir && *dir) {
		size_t len = strcspn(dir, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)len, dir, DEBUGINFOD_PROGRAM);
		if (!access(path, X_OK))
			return true;
		dir += len + (dir[len] == ':');
	}
	return false;
}

const char *debuginfod_why_not(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !urls[strspn(urls, " ")])
		return "$DEBUGINFOD_URLS names no server; set it, and under sudo pass it on: sudo "
		       "DEBUGINFOD_URLS=\"$DEBUGINFOD_URLS\" unspool ...";
	if (!is_installed())
		return "there is no " DEBUGINFOD_PROGRAM
		       " in $PATH; install that of elfutils (Debian: apt install debuginfod)";
	return NULL;
}

int debuginfod_new(struct debuginfod **d)
{
	*d = calloc(1, sizeof(**d));
	return *d ? 0 : -ENOMEM;
}

void debuginfod_free(struct debuginfod **dp)
{
	struct debuginfod *d = *dp;

	*dp = NULL;
	for (u32 i = 0; d && i < DEBUGINFOD_MAX_RUNNING; i++) {
		if (!d->running[i].pid)
			continue;
		kill(d->running[i].pid, SIGKILL);
		waitpid(d->running[i].pid, NULL, 0);
		close(d->running[i].fd);
	}
	free(d);
}

int debuginfod_ask(struct debuginfod *d, u32 module, const char *build_id)
{
	if (d->n_waiting == DEBUGINFOD_MAX_WAITING || strlen(build_id) >= MAX_ID)
		return -EAGAIN;
	d->waiting[d->n_waiting].module = module;
	snprintf(d->waiting[d->n_waiting++].id, MAX_ID, "%s", build_id);
	return 0;
}

_Noreturn static void child(const char *id, int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN); /* ignore Ctrl-C, because the recorder ends this child */
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 2) < 0 || dup2(out, 1) < 0 ||
	    caller_become())
		_exit(127);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execlp(DEBUGINFOD_PROGRAM, DEBUGINFOD_PROGRAM, "debuginfo", id, NULL);
	_exit(127);
}

static void start(struct debuginfod *d, struct running *r)
{
	_cleanup_close_ int ours = -1, theirs = -1;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return;
	ours = ends[0];
	theirs = ends[1];
	pid = fork();
	if (!pid)
		child(d->waiting[0].id, theirs);
	if (pid < 0)
		return;
	r->pid = pid;
	r->fd = TAKE_FD(ours);
	r->module = d->waiting[0].module;
	r->since_ns = monotonic_ns();
	r->len = 0;
	d->n_waiting--;
	memmove(d->waiting, d->waiting + 1, d->n_waiting * sizeof(d->waiting[0]));
}

/* Reads the available output. Return: whether the program has exited; then @status is set. */
static bool has_ended(struct running *r, int *status)
{
	bool is_dead = waitpid(r->pid, status, WNOHANG) == r->pid;
	ssize_t n;

	while (r->len < sizeof(r->path) - 1 &&
	       (n = read(r->fd, r->path + r->len, sizeof(r->path) - 1 - r->len)) > 0)
		r->len += (u32)n;
	r->path[r->len] = 0;
	r->path[strcspn(r->path, "\n")] = 0;
	return is_dead;
}

static void look(struct running *r, debuginfod_fn *fn, void *data)
{
	const char *why = NULL;
	int status = -1;

	if (!has_ended(r, &status)) {
		if (monotonic_ns() - r->since_ns < DEBUGINFOD_PATIENCE_NS)
			return;
		kill(r->pid, SIGKILL);
		waitpid(r->pid, NULL, 0);
		why = "fetching the debug file took too long";
	}
	r->pid = 0;
	close(r->fd);
	if (!why && WIFEXITED(status) && !WEXITSTATUS(status) && r->path[0] == '/')
		fn(r->module, r->path, NULL, data);
	else
		fn(r->module, NULL, why, data);
}

void debuginfod_poll(struct debuginfod *d, debuginfod_fn *fn, void *data)
{
	for (u32 i = 0; i < DEBUGINFOD_MAX_RUNNING; i++) {
		if (d->running[i].pid)
			look(&d->running[i], fn, data);
		if (!d->running[i].pid && d->n_waiting)
			start(d, &d->running[i]);
	}
}
