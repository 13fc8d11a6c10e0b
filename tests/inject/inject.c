/* SPDX-License-Identifier: BSD-2-Clause */

/*
 * inject KIND N LOG PRELOAD COMMAND [ARG]...: runs COMMAND, whose N-th system call of KIND
 * fails. N counts from 1; 0 is none.
 *
 * A seccomp filter passes the calls in the table below to this process before they run
 * (SECCOMP_RET_USER_NOTIF, Linux 5.5). So calls made inside functions of the C library are
 * included, and neither ptrace nor a signal handler interferes with COMMAND's own use of them.
 * Only calls of COMMAND's own threads from main() to its end are counted;
 * PRELOAD (preload.c) marks that range. Calls of COMMAND's children are not
 * counted.
 *
 *	calls		calls that do not map memory
 *	mappings	calls that do; sanitizers cannot work without them
 *	interruptions	interruptible calls, which fail with EINTR
 *
 * LOG gets the name of each counted call, or of the one that failed. PRELOAD may be several
 * libraries.
 *
 * Ends with COMMAND's status, or 128 + the number of the signal that ended it.
 */

#include "inject.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_NOTE 256 /* room for larger structs of later kernels */

enum { INTERRUPTIBLE = 1, MEMORY = 2 };

struct call {
	int nr;
	int err;
	int is;
	const char *name;
};

#define CALL(name, err, is)                                                                        \
	{                                                                                          \
		SYS_##name, err, is, #name                                                         \
	}

static const struct call calls[] = {
#ifdef SYS_open
	CALL(open, EMFILE, 0),
	CALL(stat, EACCES, 0),
	CALL(lstat, EACCES, 0),
	CALL(access, EACCES, 0),
	CALL(readlink, EACCES, 0),
	CALL(rename, EIO, 0),
	CALL(unlink, EACCES, 0),
	CALL(mkdir, ENOSPC, 0),
	CALL(chmod, EPERM, 0),
	CALL(pipe, EMFILE, 0),
	CALL(poll, EINTR, INTERRUPTIBLE),
	CALL(epoll_wait, EINTR, INTERRUPTIBLE),
	CALL(fork, EAGAIN, 0),
	CALL(vfork, EAGAIN, 0),
#endif
	CALL(openat, EMFILE, 0),
	CALL(newfstatat, EACCES, 0),
	CALL(fstat, EIO, 0),
	CALL(statx, EACCES, 0),
	CALL(faccessat, EACCES, 0),
	CALL(readlinkat, EACCES, 0),
	CALL(getdents64, EIO, 0),
	CALL(read, EIO, INTERRUPTIBLE),
	CALL(pread64, EIO, INTERRUPTIBLE),
	CALL(readv, EIO, INTERRUPTIBLE),
	CALL(process_vm_readv, ESRCH, 0),
	CALL(lseek, EINVAL, 0),
	CALL(write, ENOSPC, INTERRUPTIBLE),
	CALL(pwrite64, ENOSPC, INTERRUPTIBLE),
	CALL(writev, ENOSPC, INTERRUPTIBLE),
	CALL(close, EIO, 0),
	CALL(fsync, EIO, INTERRUPTIBLE),
	CALL(ftruncate, ENOSPC, INTERRUPTIBLE),
	CALL(fchmod, EPERM, 0),
	CALL(fchmodat, EPERM, 0),
	CALL(fchown, EPERM, 0),
	CALL(linkat, EIO, 0),
	CALL(renameat, EIO, 0),
	CALL(renameat2, EIO, 0),
	CALL(unlinkat, EACCES, 0),
	CALL(mkdirat, ENOSPC, 0),
	CALL(fcntl, EMFILE, 0),
	CALL(dup, EMFILE, 0),
	CALL(dup3, EMFILE, 0),
	CALL(pipe2, EMFILE, 0),
	CALL(socket, EMFILE, 0),
	CALL(socketpair, EMFILE, 0),
	CALL(eventfd2, EMFILE, 0),
	CALL(timerfd_create, EMFILE, 0),
	CALL(signalfd4, EMFILE, 0),
	CALL(epoll_create1, EMFILE, 0),
	CALL(epoll_ctl, ENOMEM, 0),
	CALL(epoll_pwait, EINTR, INTERRUPTIBLE),
	CALL(ppoll, EINTR, INTERRUPTIBLE),
	CALL(clock_nanosleep, EINTR, INTERRUPTIBLE),
	CALL(wait4, EINTR, INTERRUPTIBLE),
	CALL(waitid, EINTR, INTERRUPTIBLE),
	CALL(clone, EAGAIN, 0),
	CALL(clone3, EAGAIN, 0),
	CALL(pidfd_open, EMFILE, 0),
	CALL(memfd_create, EMFILE, 0),
	CALL(perf_event_open, EMFILE, 0),
	CALL(bpf, ENOMEM, 0),
	CALL(ioctl, EIO, 0),
	CALL(sched_getaffinity, EINVAL, 0),
	CALL(prlimit64, EPERM, 0),
	CALL(mmap, ENOMEM, MEMORY),
	CALL(mprotect, ENOMEM, MEMORY),
	CALL(mremap, ENOMEM, MEMORY),
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

enum kind { CALLS, MAPPINGS, INTERRUPTIONS, N_KINDS };

static const char *const kinds[N_KINDS] = { "calls", "mappings", "interruptions" };

struct run {
	enum kind kind;
	unsigned long nth, n_done;
	bool is_armed;
	FILE *log;
	pid_t child;
	int listener;
};

/*
 * Installs the filter and returns the listener, to which the kernel passes
 * calls in the table; all others run.
 */
static int install_filter(void)
{
	struct sock_filter f[2 * N_CALLS + 2];
	struct sock_fprog program = { 0, f };
	unsigned short n = 0;

	f[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
					      offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_CALLS; i++) {
		f[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
						      (unsigned)calls[i].nr, 0, 1);
		f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	}
	f[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/*
 * The child shares the table of files until it executes, so its listener is
 * ours. The child must not make any call in the table before it has sent the
 * listener's number.
 */
static int start(struct run *r, const char *preload, char **argv)
{
	volatile int *listener = mmap(NULL, sizeof(*listener), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (listener == MAP_FAILED || setenv("LD_PRELOAD", preload, 1))
		return -1;
	*listener = 0;
	r->child = (pid_t)syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (r->child < 0)
		return -1;
	if (!r->child) {
		*listener = install_filter();
		if (*listener > 0)
			execvp(argv[0], argv);
		_exit(126);
	}
	while (!*listener)
		sched_yield();
	r->listener = *listener;
	return r->listener < 0 ? -1 : 0;
}

static const struct call *call_of(int nr)
{
	for (size_t i = 0; i < N_CALLS; i++)
		if (calls[i].nr == nr)
			return &calls[i];
	return NULL;
}

static bool is_counted(struct run *r, const struct call *call, pid_t tid)
{
	char task[64];

	if (!r->is_armed || !call)
		return false;
	if (r->kind == INTERRUPTIONS ? call->is != INTERRUPTIBLE
				     : (r->kind == MAPPINGS) != (call->is == MEMORY))
		return false;
	snprintf(task, sizeof(task), "/proc/%d/task/%d", r->child, tid);
	return tid == r->child || !access(task, F_OK);
}

/* Return: 0 to let the call run, or an errno. */
static int judge(struct run *r, const struct seccomp_notif *note)
{
	const struct call *call = call_of(note->data.nr);
	int fd = (int)note->data.args[0];

	if (note->data.nr == SYS_close && (fd == INJECT_ARM || fd == INJECT_DISARM)) {
		if ((pid_t)note->pid == r->child)
			r->is_armed = fd == INJECT_ARM;
		return 0;
	}
	if (!is_counted(r, call, (pid_t)note->pid))
		return 0;
	r->n_done++;
	if (!r->nth || r->n_done == r->nth)
		fprintf(r->log, "%s\n", call->name);
	if (r->n_done != r->nth)
		return 0;
	return r->kind == INTERRUPTIONS ? EINTR : call->err;
}

/* Runs until no process with the filter is left. */
static void supervise(struct run *r)
{
	_Alignas(8) char note_room[MAX_NOTE], answer_room[MAX_NOTE];
	struct seccomp_notif *note = (void *)note_room;
	struct seccomp_notif_resp *answer = (void *)answer_room;
	struct pollfd p = { r->listener, POLLIN, 0 };

	while (poll(&p, 1, -1) > 0 && p.revents & POLLIN) {
		memset(note_room, 0, sizeof(note_room));
		memset(answer_room, 0, sizeof(answer_room));
		if (ioctl(r->listener, SECCOMP_IOCTL_NOTIF_RECV, note))
			continue; /* the process has ended meanwhile */
		answer->id = note->id;
		answer->error = -judge(r, note);
		if (!answer->error)
			answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(r->listener, SECCOMP_IOCTL_NOTIF_SEND, answer);
	}
}

static int usage(void)
{
	fprintf(stderr, "usage: inject KIND N LOG PRELOAD COMMAND [ARG]...\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	int status;

	if (argc < 6)
		return usage();
	while (r.kind < N_KINDS && strcmp(argv[1], kinds[r.kind]))
		r.kind++;
	if (r.kind == N_KINDS)
		return usage();
	r.nth = strtoul(argv[2], NULL, 10);
	r.log = fopen(argv[3], "we");
	if (!r.log || start(&r, argv[4], argv + 5)) {
		fprintf(stderr, "inject: can't start: %s\n", strerror(errno));
		return 125;
	}
	supervise(&r);
	if (waitpid(r.child, &status, 0) < 0 || fclose(r.log))
		return 125;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
