// SPDX-License-Identifier: BSD-2-Clause

#include "target_process.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * In the child process, executes the helper on CPU @cpu, with the socket and the program as the
 * only open files.
 */
static void become_helper(int exe, int socket, int prog, u32 cpu)
{
	char name[] = "unspool-sim-helper";
	char *const argv[] = { name, NULL }, *const envp[] = { NULL };
	cpu_set_t set;
	int socket_high = fcntl(socket, F_DUPFD_CLOEXEC, 10),
	    prog_high = prog < 0 ? -1 : fcntl(prog, F_DUPFD_CLOEXEC, 10),
	    exe_high = fcntl(exe, F_DUPFD_CLOEXEC, 10);

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || sched_setaffinity(0, sizeof(set), &set) ||
	    dup2(socket_high, HELPER_SOCKET_FD) < 0 ||
	    (prog >= 0 && dup2(prog_high, HELPER_PROG_FD) < 0))
		_exit(1);
	fexecve(exe_high, argv, envp);
	_exit(1);
}

/* Return: a descriptor of a file with these bytes, or a negative errno. */
static int memory_file(struct sim_blob blob)
{
	int fd = memfd_create("unspool-sim-helper", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (write(fd, blob.bytes, blob.len) != (ssize_t)blob.len) {
		close(fd);
		return -ENOSPC;
	}
	return fd;
}

int sim_process_start(struct sim_blob helper, int prog_fd, u32 cpu, struct sim_process *out)
{
	int ends[2], exe = memory_file(helper), err = 0;

	*out = (struct sim_process){ .socket = -1 };
	if (exe < 0)
		return exe;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
		err = -errno;
		close(exe);
		return err;
	}
	out->pid = fork();
	if (out->pid == 0)
		become_helper(exe, ends[1], prog_fd, cpu);
	if (out->pid < 0) {
		err = -errno;
		out->pid = 0;
	}
	close(exe);
	close(ends[1]);
	out->socket = ends[0];
	return err;
}

static int send_all(const struct sim_process *p, const void *from, u64 len)
{
	for (u64 at = 0; at < len;) {
		ssize_t n = send(p->socket, (const u8 *)from + at, len - at, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0)
			at += (u64)n;
	}
	return 0;
}

static enum helper_run_kind kind_of(u8 flags)
{
	if (!(flags & SIM_READ))
		return HELPER_NO_ACCESS;
	return flags & SIM_PRESENT ? HELPER_READABLE : HELPER_ABSENT;
}

/*
 * Finds the next run of pages of one kind, from page *at on; skips holes. Returns false if there
 * are no more pages.
 */
static bool next_run(const struct sim_region *r, u64 *at, struct helper_run *out)
{
	u64 n = r->len / SIM_PAGE_LEN, first;

	while (*at < n && !(r->pages[*at] & SIM_MAPPED))
		++*at;
	if (*at == n)
		return false;
	first = *at;
	while (*at < n && r->pages[*at] & SIM_MAPPED &&
	       kind_of(r->pages[*at]) == kind_of(r->pages[first]))
		++*at;
	*out = (struct helper_run){ r->addr + first * SIM_PAGE_LEN, (*at - first) * SIM_PAGE_LEN,
				    kind_of(r->pages[first]) };
	return true;
}

static u64 count_runs(const struct sim_region *regions, size_t n)
{
	struct helper_run run;
	u64 n_runs = 0;

	for (size_t i = 0; i < n; i++)
		for (u64 at = 0; next_run(&regions[i], &at, &run);)
			n_runs++;
	return n_runs;
}

static int send_region(const struct sim_process *p, const struct sim_region *r)
{
	struct helper_run run;
	int err = 0;

	for (u64 at = 0; !err && next_run(r, &at, &run);) {
		err = send_all(p, &run, sizeof(run));
		if (!err && run.kind == HELPER_READABLE)
			err = send_all(p, r->bytes + (run.addr - r->addr), run.len);
	}
	return err;
}

int sim_process_walk(const struct sim_process *p, enum helper_how how, const struct sim_target *t,
		     const struct sim_region *regions, size_t n, struct helper_reply *reply)
{
	struct helper_request request = {
		.start = { t->regs, t->extent, t->va_mask, t->sample_flags },
		.n_runs = count_runs(regions, n),
		.how = how,
	};
	int err = send_all(p, &request, sizeof(request));

	for (size_t i = 0; i < n && !err; i++)
		err = send_region(p, &regions[i]);
	if (err)
		return err;
	return recv(p->socket, reply, sizeof(*reply), MSG_WAITALL) == sizeof(*reply) ? 0 : -EPIPE;
}

void sim_process_end(struct sim_process *p)
{
	if (p->socket >= 0)
		close(p->socket);
	if (p->pid)
		waitpid(p->pid, NULL, 0);
	*p = (struct sim_process){ .socket = -1 };
}
