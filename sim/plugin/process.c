// SPDX-License-Identifier: BSD-2-Clause

#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../inspect/util/cleanup.h"
#include "../../inspect/util/clock.h"
#include "../../inspect/util/term.h"

#define NS_PER_MS 1000000ull
#define MS_TO_DIE 1000
#define N_FDS 3
#define MAX_PROCESSES 8

extern char **environ;

int plugin_process_init(struct plugin_process *out)
{
	char *room = malloc(PLUGIN_MAX_OUTPUT + 1);

	if (!room)
		return -ENOMEM;
	*out = (struct plugin_process){ .pid_fd = -1, .out_fd = -1, .err_fd = -1, .out = room };
	return 0;
}

static void close_fd(int *fd)
{
	cleanup_close(fd);
	*fd = -1;
}

/*
 * Opens a pipe. Makes the pipe. Only the end for reading is non-blocking, because the program
 * writes to the other end.
 */
static int open_pipe(int *in, int *out)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	*in = fds[0];
	*out = fds[1];
	return fcntl(*in, F_SETFL, O_NONBLOCK) ? -errno : 0;
}

static int spawn(const char *program, const char *path, int out, int err, pid_t *pid)
{
	char *argv[] = { (char *)program, (char *)path, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int status;

	sigfillset(&all);
	sigemptyset(&none);
	if (posix_spawn_file_actions_init(&files))
		return -ENOMEM;
	if (posix_spawnattr_init(&attr)) {
		posix_spawn_file_actions_destroy(&files);
		return -ENOMEM;
	}
	status = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (!status)
		status = posix_spawn_file_actions_adddup2(&files, out, 1);
	if (!status)
		status = posix_spawn_file_actions_adddup2(&files, err, 2);
	if (!status)
		status = posix_spawn_file_actions_addclosefrom_np(&files, 3);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETSIGMASK);
	if (!status)
		status = posix_spawn(pid, program, &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return -status;
}

int plugin_process_start(struct plugin_process *p, const char *program, const char *path,
			 u64 timeout_ns)
{
	_cleanup_close_ int out_in = -1, out_end = -1, err_in = -1, err_end = -1;
	pid_t pid;
	int pid_fd, err = open_pipe(&out_in, &out_end);

	if (!err)
		err = open_pipe(&err_in, &err_end);
	if (!err)
		err = spawn(program, path, out_end, err_end, &pid);
	if (err)
		return err;
	pid_fd = pidfd_open(pid, 0);
	if (pid_fd < 0) {
		err = -errno;
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
		return err;
	}
	p->pid = pid;
	p->pid_fd = pid_fd;
	p->out_fd = TAKE_FD(out_in);
	p->err_fd = TAKE_FD(err_in);
	p->start_ns = monotonic_ns();
	p->end_ns = p->start_ns + timeout_ns;
	p->out_len = p->said_len = 0;
	p->why[0] = 0;
	return 0;
}

/*
 * Reads the available output, and closes the pipe at the end of output. Returns true if there is
 * too much output.
 */
static bool take_output(struct plugin_process *p)
{
	ssize_t n;

	while (p->out_fd >= 0 && p->out_len <= PLUGIN_MAX_OUTPUT) {
		n = read(p->out_fd, p->out + p->out_len, PLUGIN_MAX_OUTPUT + 1 - p->out_len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0)
			close_fd(&p->out_fd);
		else
			p->out_len += (size_t)n;
	}
	return p->out_len > PLUGIN_MAX_OUTPUT;
}

/*
 * Reads stderr and keeps the last bytes. Reads at most as much as a pipe holds, because reading
 * more from one program would delay the others.
 */
static void take_words(struct plugin_process *p)
{
	char chunk[4096];
	size_t room = sizeof(p->said) - 1, keep, n;
	ssize_t got = 0;

	for (int i = 0; i < 16 && p->err_fd >= 0; i++) {
		got = read(p->err_fd, chunk, sizeof(chunk));
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got <= 0) {
			close_fd(&p->err_fd);
			return;
		}
		n = (size_t)got < room ? (size_t)got : room;
		keep = p->said_len < room - n ? p->said_len : room - n;
		memmove(p->said, p->said + p->said_len - keep, keep);
		memcpy(p->said + keep, chunk + got - n, n);
		p->said_len = keep + n;
	}
}

/* Returns the last line of stderr that is not empty. */
static const char *last_words(struct plugin_process *p)
{
	char *end = p->said + p->said_len, *start;

	while (end > p->said && (unsigned char)end[-1] <= ' ')
		end--;
	*end = 0;
	start = memrchr(p->said, '\n', (size_t)(end - p->said));
	return start ? start + 1 : p->said;
}

static void say_status(struct plugin_process *p, int status)
{
	const char *words = last_words(p);
	char safe[128];

	if (WIFSIGNALED(status))
		snprintf(p->why, sizeof(p->why), "the program died of signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(p->why, sizeof(p->why), "the program ended with exit status %d%s%s",
			 WEXITSTATUS(status), *words ? ": " : "",
			 term_escape(words, safe, sizeof(safe)));
}

/*
 * Waits for a killed program. If the program can't be killed, because it has the rights of another
 * user, it is abandoned.
 */
static void reap(struct plugin_process *p)
{
	struct pollfd fd = { p->pid_fd, POLLIN, 0 };
	int status = 0;

	while (poll(&fd, 1, MS_TO_DIE) < 0 && errno == EINTR)
		;
	if (waitpid(p->pid, &status, WNOHANG) != p->pid)
		snprintf(p->why, sizeof(p->why), "the program could not be killed");
	else if (!p->why[0])
		say_status(p, status);
}

/* Ends a run. A dead program keeps its pid and process group until waitpid(). */
static void finish(struct plugin_process *p)
{
	kill(-p->pid, SIGKILL);
	if (take_output(p) && !p->why[0])
		snprintf(p->why, sizeof(p->why), "the program printed more than %u bytes",
			 PLUGIN_MAX_OUTPUT);
	take_words(p);
	reap(p);
	close_fd(&p->pid_fd);
	close_fd(&p->out_fd);
	close_fd(&p->err_fd);
	p->pid = 0;
}

void plugin_process_stop(struct plugin_process *p)
{
	if (p->pid)
		finish(p);
}

void plugin_process_deinit(struct plugin_process *p)
{
	plugin_process_stop(p);
	free(p->out);
	p->out = NULL;
}

/*
 * Reads the output. Returns true if the program has ended, exceeded the time limit, or printed too
 * much.
 */
static bool feed(struct plugin_process *p, const struct pollfd *fds, u64 now)
{
	bool is_over = fds[0].revents;

	if (fds[1].revents)
		is_over |= take_output(p);
	if (fds[2].revents)
		take_words(p);
	if (!is_over && now >= p->end_ns) {
		snprintf(p->why, sizeof(p->why), "the program was still running after %g s",
			 (double)(p->end_ns - p->start_ns) / NS_PER_S);
		is_over = true;
	}
	if (is_over)
		finish(p);
	return is_over;
}

#define NO_PROCESS (-1)

/*
 * Returns the timeout for poll(): the time until the first process reaches its time limit;
 * NO_PROCESS: no process runs.
 */
static int time_left(const struct plugin_process *p, u32 n, u64 now)
{
	u64 first = NEVER_NS;

	for (u32 i = 0; i < n; i++)
		if (p[i].pid && p[i].end_ns < first)
			first = p[i].end_ns;
	if (first == NEVER_NS)
		return NO_PROCESS;
	return first <= now ? 0 : (int)((first - now) / NS_PER_MS + 1);
}

static void list_fds(const struct plugin_process *p, u32 n, struct pollfd *fds)
{
	for (u32 i = 0; i < n; i++) {
		*fds++ = (struct pollfd){ p[i].pid_fd, POLLIN, 0 };
		*fds++ = (struct pollfd){ p[i].out_fd, POLLIN, 0 };
		*fds++ = (struct pollfd){ p[i].err_fd, POLLIN, 0 };
	}
}

struct plugin_process *plugin_process_wait(struct plugin_process *p, u32 n, bool wait)
{
	struct pollfd fds[MAX_PROCESSES * N_FDS];
	int left;

	if (n > MAX_PROCESSES)
		n = MAX_PROCESSES;
	do {
		left = time_left(p, n, monotonic_ns());
		if (left == NO_PROCESS)
			return NULL;
		list_fds(p, n, fds);
		if (poll(fds, n * N_FDS, wait ? left : 0) < 0 && errno != EINTR)
			return NULL;
		for (u32 i = 0; i < n; i++)
			if (p[i].pid && feed(&p[i], &fds[i * N_FDS], monotonic_ns()))
				return &p[i];
	} while (wait);
	return NULL;
}
